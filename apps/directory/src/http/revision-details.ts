import type { Revision } from '../instance/instance-setting.ts'

/** The `details` of an answer, the way protobuf writes them as JSON: a 64-bit number as text. */
export function revisionDetails({ sequence, changedAt }: Revision) {
  return { sequence: String(sequence), changeDate: changedAt.toISOString(), resourceOwner: 'instance' }
}

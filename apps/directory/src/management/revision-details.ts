import { z } from 'zod'
import type { Revision } from '../instance/instance-setting.ts'

/** The `details` of an answer, the way protobuf writes them as JSON: a 64-bit number as text. */
export const details = z.strictObject({
  sequence: z.string(),
  changeDate: z.iso.datetime(),
  resourceOwner: z.string(),
})

export const changed = z.strictObject({ details }).meta({ id: 'Changed' })

export function revisionDetails({ sequence, changedAt }: Revision): z.output<typeof details> {
  return { sequence: String(sequence), changeDate: changedAt.toISOString(), resourceOwner: 'instance' }
}

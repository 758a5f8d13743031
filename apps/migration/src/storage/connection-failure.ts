import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import { type ObjectPlace, ObjectStorageError, type StorageFailure } from './storage-error.ts'

const BY_CODE: Readonly<Record<string, StorageFailure>> = {
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timed_out',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ECONNABORTED: 'connection_lost',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_lost',
}

const RULES = {
  address_refused:
    'the host has no address that may be called; the operator permits networks by SIGNET_OUTBOUND_ALLOW',
  unreachable: 'the host cannot be reached; check its name, its port and the network',
  timed_out: 'the service did not go on in time; try again later',
  connection_lost: 'the connection was cut; try again later',
} as const

/** For what the network did, wherever an SDK has put it; undefined for any other error. */
export function connectionFailure(error: unknown, place: ObjectPlace): ObjectStorageError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const reason = reasonOf(cause)
    if (reason !== undefined) return new ObjectStorageError({ reason, place, rule: RULES[reason] })
  }
  return undefined
}

function reasonOf(error: Error): keyof typeof RULES | undefined {
  if (error instanceof OutboundError) {
    return error.reason === 'address_refused' || error.reason === 'timed_out' ? error.reason : 'unreachable'
  }
  const reason = 'code' in error ? BY_CODE[String(error.code)] : undefined
  return reason !== undefined && reason in RULES ? (reason as keyof typeof RULES) : undefined
}

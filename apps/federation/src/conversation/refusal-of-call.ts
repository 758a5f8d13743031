import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import { Refused } from './refusal.ts'

/** The refusal for a call to a provider that got no answer; another error as it is. */
export function refusalOfCall(error: unknown): unknown {
  const outbound = error instanceof OutboundError ? error : undefined
  switch (outbound?.reason) {
    case undefined:
      return error
    case 'address_refused':
    case 'url_invalid':
      return new Refused('address_refused', { cause: error })
    case 'too_long':
      return new Refused('answer_too_long', { cause: error })
    case 'timed_out':
    case 'connection_failed':
      return new Refused('provider_away', { received: outbound?.reason, temporary: true, cause: error })
  }
}

/** The refusal for a status that says nothing about the sign-in. */
export function refusalOfStatus(status: number): Refused {
  if (status >= 500 || status === 429) {
    return new Refused('provider_failed', { received: status, temporary: true })
  }
  if (status >= 300 && status < 400) return new Refused('redirect_refused', { received: status })
  return new Refused('unexpected_status', { received: status, expected: 200 })
}

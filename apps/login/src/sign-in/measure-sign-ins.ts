import type { Metrics } from '@signet/platform/metrics/metrics'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'

type Factor = 'password' | 'passkey' | 'code' | 'passkey_after_password' | 'enrolment' | 'identity_provider'
/** `throttled_account`: the account has to wait after failures. */
type Outcome =
  | 'accepted'
  | 'refused'
  | 'forbidden'
  | 'throttled_account'
  | 'throttled_network'
  | 'unavailable'

type Attempted =
  | { readonly kind: 'refused' | 'expired' | 'forbidden' | 'next-step' | 'signed-in' | 'password-first' }
  | { readonly kind: 'declined' | 'unavailable' | 'unlinked' | 'wrong' }
  | { readonly kind: 'throttled'; readonly by: 'account' | 'network' }

/**
 * Registers how attempts to prove a factor end, and returns what has those of a function counted. Attempts without a pending
 * request are none.
 */
export function createSignInMeasure(metrics: Metrics | undefined) {
  const count = metrics?.counter({
    name: 'signet_sign_in_attempts_total',
    help: 'Attempts to prove a factor of a sign-in by outcome; throttled_account is an account that has to wait after failures.',
    labels: ['factor', 'outcome'],
  })
  return <A extends readonly unknown[], O extends Attempted>(
    factor: Factor,
    attempt: (...args: A) => Promise<O>,
  ): ((...args: A) => Promise<O>) =>
    async (...args) => {
      try {
        const attempted = await attempt(...args)
        const outcome = outcomeOf(attempted)
        if (outcome !== undefined) count?.({ factor, outcome })
        return attempted
      } catch (error) {
        if (error instanceof TemporarilyUnavailableError) count?.({ factor, outcome: 'unavailable' })
        throw error
      }
    }
}

function outcomeOf(attempted: Attempted): Outcome | undefined {
  switch (attempted.kind) {
    case 'throttled':
      return `throttled_${attempted.by}`
    case 'refused':
    case 'forbidden':
      return attempted.kind
    case 'wrong':
      return 'refused'
    case 'unavailable':
      return attempted.kind
    case 'unlinked':
    case 'declined':
    case 'expired':
    case 'password-first':
      return undefined
    default:
      return 'accepted'
  }
}

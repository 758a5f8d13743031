import { type OAuthError, TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { RevocationStore } from './revocation-store.ts'

/** Most checks that one reader has in PostgreSQL at a time, those that wait for a connection included. */
export const CHECKS_IN_POSTGRES_AT_ONCE = 100

/**
 * Keeps a Redis that is away from turning into a PostgreSQL that is away: beyond the limit, and when PostgreSQL
 * fails, a check rejects with TemporarilyUnavailableError. Nothing else may be answered then, least of all "alive".
 */
export function boundedChecks(store: RevocationStore): RevocationStore {
  let running = 0
  return {
    async anyEnded(lookUp) {
      if (running >= CHECKS_IN_POSTGRES_AT_ONCE) throw unavailable('revocation_checks_exhausted')
      running += 1
      try {
        return await store.anyEnded(lookUp)
      } catch (cause) {
        throw unavailable('revocation_check_failed', cause)
      } finally {
        running -= 1
      }
    },
  }
}

function unavailable(reason: string, cause?: unknown): OAuthError {
  return new TemporarilyUnavailableError(
    'It cannot be told right now whether the token or session has ended; ask again',
    {
      reason,
      cause,
    },
  )
}

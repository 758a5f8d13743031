import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { Ending } from '@signet/revocation-reader/endings'
import type { EndingsLog } from '../stores/endings-log.ts'

/** Appends committed endings to the log before the caller that asked for them gets a response. */
export type PublishEndings = (endings: readonly Ending[]) => Promise<void>

/**
 * Rejects with TemporarilyUnavailableError when the log cannot be written: the endings stand in PostgreSQL, where every
 * reader finds them within its next poll, but they may not be in force everywhere yet. Repeating the call is harmless.
 */
export function createPublishEndings(log: Pick<EndingsLog, 'append'>): PublishEndings {
  return async (endings) => {
    try {
      await log.append(endings)
    } catch (cause) {
      throw new TemporarilyUnavailableError(
        'The revocation is recorded but not yet in force everywhere; repeat the call',
        { reason: 'revocation_log_write_failed', cause },
      )
    }
  }
}

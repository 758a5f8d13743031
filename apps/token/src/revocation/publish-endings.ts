import { inGroups } from '@signet/platform/runtime/in-groups'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { Ending } from '@signet/revocation-reader/endings'
import type { EndingsLog } from '../stores/endings-log.ts'

const MOST_CALLS = 100

/** Appends committed endings to the log before the caller that asked for them gets a response. */
export type PublishEndings = (endings: readonly Ending[]) => Promise<void>

/**
 * Rejects with TemporarilyUnavailableError when the log cannot be written: the endings stand in PostgreSQL, where every
 * reader finds them within its next poll, but they may not be in force everywhere yet. Repeating the call is harmless.
 * Calls at the same time share an entry of the log.
 */
export function createPublishEndings(log: Pick<EndingsLog, 'append'>): PublishEndings {
  const append = inGroups<readonly Ending[], void>(MOST_CALLS, async (calls) => {
    await log.append(calls.flat())
    return []
  })
  return async (endings) => {
    try {
      await append(endings)
    } catch (cause) {
      throw new TemporarilyUnavailableError(
        'The revocation is recorded but not yet in force everywhere; repeat the call',
        { reason: 'revocation_log_write_failed', cause },
      )
    }
  }
}

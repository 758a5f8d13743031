import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { AttemptStore } from './attempt-store.ts'

/** Counts in the shared store, and in the other one while that cannot be reached: signing in is never without limits. */
export function createSurvivingAttemptStore(shared: AttemptStore, own: AttemptStore): AttemptStore {
  const either = async <T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TemporarilyUnavailableError)) throw error
      return instead()
    }
  }
  return {
    async begin(attempt, now) {
      const begun = await either(
        () => shared.begin(attempt, now),
        () => own.begin(attempt, now),
      )
      if (begun.outcome !== 'begun') return begun
      return {
        outcome: 'begun',
        finish: (result, finishedAt) =>
          either(
            () => begun.finish(result, finishedAt),
            async () => {
              const counted = await own.begin(attempt, finishedAt)
              if (counted.outcome === 'begun') await counted.finish(result, finishedAt)
            },
          ),
      }
    },
    clear: (key) =>
      either(
        () => shared.clear(key),
        () => own.clear(key),
      ),
  }
}

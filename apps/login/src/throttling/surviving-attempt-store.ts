import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { AttemptStore } from './attempt-store.ts'

/** Counts in the shared store, and in the other one while that cannot be reached: signing in is never without limits. */
export function createSurvivingAttemptStore(shared: AttemptStore, own: AttemptStore): AttemptStore {
  const either = async <T>(work: (store: AttemptStore) => Promise<T>): Promise<T> => {
    try {
      return await work(shared)
    } catch (error) {
      if (!(error instanceof TemporarilyUnavailableError)) throw error
      return work(own)
    }
  }
  return {
    take: (key, rule, now) => either((store) => store.take(key, rule, now)),
    giveBack: (key) => either((store) => store.giveBack(key)),
    clear: (key) => either((store) => store.clear(key)),
  }
}

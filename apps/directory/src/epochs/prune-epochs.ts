import type { EpochStore } from './epoch.repository.ts'

/** An access token lives for a day at most; after that the feed has nothing to say about it. */
const FEED_HOURS = 25
/** No session, refresh token or code outlives 400 days, and none of them can come back to life after that. */
const RETIRED_DAYS = 401

/** One round: removes what concerns nothing that can still be alive. Every replica may run it. */
export function pruneEpochs(epochs: EpochStore): () => Promise<void> {
  return async () => {
    await epochs.deleteChangesOlderThan(FEED_HOURS)
    await epochs.deleteRetiredOlderThan(RETIRED_DAYS)
  }
}

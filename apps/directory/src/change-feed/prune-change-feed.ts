import type { ChangeFeedStore } from './change-feed.repository.ts'

/** One round removes what had ended by the round before. Every replica may run it. */
export function pruneChangeFeed(changes: ChangeFeedStore): () => Promise<void> {
  let endedBefore: string | undefined
  return async () => {
    if (endedBefore !== undefined) await changes.deleteBelow(endedBefore)
    endedBefore = await changes.horizon()
  }
}

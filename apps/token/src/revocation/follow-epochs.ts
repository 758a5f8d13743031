import type { Clock } from '@signet/service-runtime/clock'
import type { EndingStore } from '../stores/ending-store.ts'
import type { EpochFeed } from '../stores/epoch-feed.ts'
import type { EndByEpoch } from './end-by-epoch.ts'

/**
 * One look at the directory's epochs. The directory publishes each rise itself before it answers; this finds those
 * whose publisher died in between, so that a crash delays an end by a second and never loses it.
 */
export async function followEpochs(deps: {
  readonly feed: EpochFeed
  readonly endByEpoch: EndByEpoch
  readonly endings: Pick<EndingStore, 'queueLogouts'>
  readonly now: Clock
}): Promise<void> {
  const { epochs, next } = await deps.feed.read()
  await deps.endByEpoch(epochs)
  // Here and not in the call that ends an organization: there may be more sessions than anybody waits for.
  await deps.endings.queueLogouts(epochs, deps.now())
  // Only now: what could not be ended is read again.
  deps.feed.advance(next)
}

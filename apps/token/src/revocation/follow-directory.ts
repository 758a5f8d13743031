import type { Clock } from '@signet/platform/runtime/clock'
import type { DirectoryFeed } from '../stores/directory-feed.ts'
import type { EndingStore } from '../stores/ending-store.ts'
import type { EndByDirectory } from './end-by-directory.ts'

/**
 * One poll of the directory's endings. The directory publishes each of them itself before it responds; this publishes
 * those whose publisher died before, so that a crash delays an ending by a second and never loses it.
 */
export async function followDirectory(deps: {
  readonly feed: DirectoryFeed
  readonly endByDirectory: EndByDirectory
  readonly endings: Pick<EndingStore, 'queueLogouts'>
  readonly now: Clock
}): Promise<void> {
  const { endings, next } = await deps.feed.read()
  await deps.endByDirectory(endings.filter(({ isRecorded }) => !isRecorded))
  // Not in the call that ends an organization: there may be too many sessions to wait for.
  await deps.endings.queueLogouts(endings, deps.now())
  // Only now: endings that could not be published are read again.
  deps.feed.advance(next)
}

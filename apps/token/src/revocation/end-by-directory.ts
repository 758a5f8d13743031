import type { Clock } from '@signet/platform/runtime/clock'
import { inGroups } from '@signet/platform/runtime/in-groups'
import type { EndingStore } from '../stores/ending-store.ts'
import type { DirectoryEnding } from './directory-ending.ts'
import type { PublishEndings } from './publish-endings.ts'

/** Records and publishes endings of the directory; when it resolves, nothing that they end is active anywhere. */
export type EndByDirectory = (endings: readonly DirectoryEnding[]) => Promise<void>

/** Each personal access token takes an advisory lock, and a default PostgreSQL has room for some thousand locks. */
const ENDINGS_PER_TRANSACTION = 500

export function createEndByDirectory(deps: {
  readonly endings: Pick<EndingStore, 'endByDirectory'>
  readonly publish: PublishEndings
  readonly now: Clock
}): EndByDirectory {
  // Many calls at once cost one transaction after the other instead of a queue of them behind the lock of one row.
  return inGroups(Number.POSITIVE_INFINITY, async (calls: readonly (readonly DirectoryEnding[])[]) => {
    const highest = new Map<string, DirectoryEnding>()
    for (const ending of calls.flat()) {
      const key = `${ending.kind}${ending.id}`
      if ((highest.get(key)?.epoch ?? -1) < ending.epoch) highest.set(key, ending)
    }
    const all = [...highest.values()]
    for (let start = 0; start < all.length; start += ENDINGS_PER_TRANSACTION) {
      const part = all.slice(start, start + ENDINGS_PER_TRANSACTION)
      await deps.publish(await deps.endings.endByDirectory(part, deps.now()))
    }
    return calls.map(() => undefined)
  })
}

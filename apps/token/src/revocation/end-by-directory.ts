import type { Clock } from '@signet/service-runtime/clock'
import { inGroups } from '@signet/service-runtime/in-groups'
import type { EndingStore } from '../stores/ending-store.ts'
import type { DirectoryEnding } from './directory-ending.ts'
import type { PublishEndings } from './publish-endings.ts'

/** Records and publishes endings of the directory; when it resolves, nothing that they end is active anywhere. */
export type EndByDirectory = (endings: readonly DirectoryEnding[]) => Promise<void>

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
    if (highest.size > 0) {
      await deps.publish(await deps.endings.endByDirectory([...highest.values()], deps.now()))
    }
    return calls.map(() => undefined)
  })
}

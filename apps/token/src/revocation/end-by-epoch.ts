import type { Clock } from '@signet/service-runtime/clock'
import { inGroups } from '@signet/service-runtime/in-groups'
import type { EndingStore } from '../stores/ending-store.ts'
import type { PublishRevocations } from './publish-revocations.ts'
import type { PublishedEpoch } from './published-epoch.ts'

/** Makes everything dead that was made under lower epochs; when it resolves, nothing of it is active anywhere. */
export type EndByEpoch = (epochs: readonly PublishedEpoch[]) => Promise<void>

export function endByEpoch(deps: {
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly now: Clock
}): EndByEpoch {
  // Many ends at once cost one transaction after the other instead of a queue of them behind the lock of one row.
  return inGroups(Number.POSITIVE_INFINITY, async (calls: readonly (readonly PublishedEpoch[])[]) => {
    const highest = new Map<string, PublishedEpoch>()
    for (const epoch of calls.flat()) {
      const key = `${epoch.kind}:${epoch.id}`
      if ((highest.get(key)?.epoch ?? -1) < epoch.epoch) highest.set(key, epoch)
    }
    if (highest.size > 0)
      await deps.publish(await deps.endings.endByEpochs([...highest.values()], deps.now()))
    return calls.map(() => undefined)
  })
}

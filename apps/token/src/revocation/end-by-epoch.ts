import type { Clock } from '@signet/service-runtime/clock'
import type { EndingStore } from '../stores/ending-store.ts'
import { inBatches } from './in-batches.ts'
import type { PublishRevocations } from './publish-revocations.ts'
import type { PublishedEpoch } from './published-epoch.ts'

/** Makes everything dead that was made under lower epochs; when it resolves, nothing of it is active anywhere. */
export type EndByEpoch = (epochs: readonly PublishedEpoch[]) => Promise<void>

export function endByEpoch(deps: {
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly now: Clock
}): EndByEpoch {
  return inBatches(async (epochs) => {
    const highest = new Map<string, PublishedEpoch>()
    for (const epoch of epochs) {
      const key = `${epoch.kind}:${epoch.id}`
      if ((highest.get(key)?.epoch ?? -1) < epoch.epoch) highest.set(key, epoch)
    }
    if (highest.size === 0) return
    await deps.publish(await deps.endings.endByEpochs([...highest.values()], deps.now()))
  })
}

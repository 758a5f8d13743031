import type { RevocationKind } from '@signet/revocation-reader/mirror-keys'
import type { Clock } from '@signet/service-runtime/clock'
import type { EndingStore } from '../stores/ending-store.ts'
import type { PublishRevocations } from './publish-revocations.ts'

/** An epoch that the directory has published for a user, a client or an organization. */
export interface PublishedEpoch {
  readonly kind: Extract<RevocationKind, 'u' | 'c' | 'o'>
  readonly id: string
  readonly epoch: number
}

/** Makes everything dead that was made under lower epochs; when it resolves, nothing of it is active anywhere. */
export type EndByEpoch = (epochs: readonly PublishedEpoch[]) => Promise<void>

export function endByEpoch(deps: {
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly now: Clock
}): EndByEpoch {
  return async (epochs) => {
    const highest = new Map<string, PublishedEpoch>()
    for (const epoch of epochs) {
      const key = `${epoch.kind}:${epoch.id}`
      if ((highest.get(key)?.epoch ?? -1) < epoch.epoch) highest.set(key, epoch)
    }
    if (highest.size === 0) return
    const revocations = [...highest.values()].map(({ kind, id, epoch }) => ({
      kind,
      id,
      value: epoch,
      // Only users have one subject; the others concern every shard.
      ...(kind === 'u' && { subject: id }),
    }))
    await deps.publish(await deps.endings.record(revocations, deps.now()))
  }
}

import type { Clock } from '@signet/service-runtime/clock'
import type { EndingStore } from '../stores/ending-store.ts'
import type { PublishRevocations } from './publish-revocations.ts'

/** Makes everything dead that was sealed or signed with a key, also for verifiers that still hold it. */
export type RevokeKey = (kid: string) => Promise<void>

export function revokeKey(deps: {
  readonly endings: EndingStore
  readonly publish: PublishRevocations
  readonly now: Clock
}): RevokeKey {
  return async (kid) =>
    deps.publish(await deps.endings.record([{ kind: 'k', id: kid, value: 1 }], deps.now()))
}

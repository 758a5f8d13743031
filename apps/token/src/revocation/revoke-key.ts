import type { EndingStore } from '../stores/ending-store.ts'
import type { PublishEndings } from './publish-endings.ts'

/** Makes everything dead that was sealed or signed with a key, also for verifiers that still hold it. */
export type RevokeKey = (kid: string) => Promise<void>

export function revokeKey(deps: {
  readonly endings: Pick<EndingStore, 'endKey'>
  readonly publish: PublishEndings
}): RevokeKey {
  return async (kid) => deps.publish([await deps.endings.endKey(kid)])
}

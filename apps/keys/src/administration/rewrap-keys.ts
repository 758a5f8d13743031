import { type Attempt, attemptEvent } from '@signet/admin-api/audit/audit-log'
import { requireRole } from '@signet/admin-api/require-role'
import type { KeyStore, ResealedSecret, StoredKey } from '../rotation/key-storage.ts'
import type { SecretSealer } from '../sealing/secret-sealer.ts'

/** Seals every stored secret under the newest master key, and answers how many were under an older one. */
export type RewrapKeys = (attempt: Attempt) => Promise<number>

interface Dependencies {
  readonly store: Pick<KeyStore, 'reseal'>
  readonly sealer: SecretSealer
}

export function rewrapKeys({ store, sealer }: Dependencies): RewrapKeys {
  async function resealed({ kid, sealedSecret }: StoredKey): Promise<readonly ResealedSecret[]> {
    if (sealedSecret === undefined || sealer.isNewest(sealedSecret)) return []
    return [{ kid, sealedSecret: await sealer.seal(await sealer.open(sealedSecret, kid), kid) }]
  }
  return async (attempt) => {
    requireRole(attempt.caller, [{ role: 'IAM_OWNER' }])
    let rewrapped = 0
    await store.reseal(
      async (keys) => (await Promise.all(keys.map(resealed))).flat(),
      (count) => {
        rewrapped = count
        return attemptEvent(attempt, { result: 'success', details: { rewrapped: count } })
      },
    )
    return rewrapped
  }
}

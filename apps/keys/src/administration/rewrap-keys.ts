import { requireRole } from '@signet/bearer-authentication/require-role'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import type { KeyStore, ResealedSecret, StoredKey } from '../rotation/key-storage.ts'
import type { SecretSealer } from '../sealing/secret-sealer.ts'

/** Seals every stored secret under the newest master key, and answers how many were under an older one. */
export type RewrapKeys = (call: ManagementCall) => Promise<number>

interface Dependencies {
  readonly store: Pick<KeyStore, 'reseal'>
  readonly sealer: SecretSealer
}

export function rewrapKeys({ store, sealer }: Dependencies): RewrapKeys {
  async function resealed({ kid, sealedSecret }: StoredKey): Promise<readonly ResealedSecret[]> {
    if (sealedSecret === undefined || sealer.isNewest(sealedSecret)) return []
    return [{ kid, sealedSecret: await sealer.seal(await sealer.open(sealedSecret, kid), kid) }]
  }
  return async (call) => {
    requireRole(call.caller, [{ role: 'IAM_OWNER' }])
    let rewrapped = 0
    await store.reseal(
      async (keys) => (await Promise.all(keys.map(resealed))).flat(),
      (count) => {
        rewrapped = count
        return callEvent(call, { result: 'success', details: { rewrapped: count } })
      },
    )
    return rewrapped
  }
}

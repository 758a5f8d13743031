// The operations of administrators on keys, over the plans of rotation/.

import { ApiError } from '@signet/admin-api/api-error'
import { type Attempt, attemptEvent, type RecordRead } from '@signet/admin-api/audit/audit-recorder'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { KEY_ALGORITHMS, RINGS } from '@signet/admin-api/keys-api'
import { requireRole } from '@signet/admin-api/require-role'
import type { KeyStore, ResealedSecret, StoredKey } from './rotation/key.repository.ts'
import type { KeyRings, RingKey } from './rotation/key-rings.ts'
import { revokeNow, rotateNow } from './rotation/plan.ts'
import { type KeyAlgorithm, type Ring, ROTATION_POLICY } from './rotation/policy.ts'
import type { PublishRevocations } from './rotation/publish-revocations.ts'
import type { SecretSealer } from './sealing.ts'

export interface WantedRotation {
  readonly ring: Ring
  /** Every algorithm of the ring when left out. */
  readonly algorithm?: KeyAlgorithm | undefined
}

/** The operations of administrators; each call checks the role of its caller. */
export interface KeyAdministration {
  /** Every key that is known, with its dates and without its secret: ring by ring, in the order of their turns. */
  list(attempt: Attempt): Promise<readonly RingKey[]>
  /**
   * Lets the next keys take over now, or as soon as they were visible long enough, and returns the keys of the ring
   * with their dates.
   */
  rotate(attempt: Attempt, wanted: WantedRotation): Promise<readonly RingKey[]>
  /**
   * Revokes a key and everything that was made with it. When it returns the key is in no key set
   * of this replica and no replica of any service accepts what it made. Repeating the call is harmless.
   */
  revoke(attempt: Attempt, kid: string): Promise<RingKey>
  /** Seals every stored secret under the newest master key, and returns how many were under an older one. */
  rewrap(attempt: Attempt): Promise<number>
}

interface Dependencies {
  readonly rings: Pick<KeyRings, 'change' | 'current'>
  readonly store: Pick<KeyStore, 'reseal'>
  readonly sealer: SecretSealer
  readonly publish: PublishRevocations
  readonly recordRead: RecordRead
}

export function createKeyAdministration(dependencies: Dependencies): KeyAdministration {
  const { rings, store, sealer, publish, recordRead } = dependencies
  async function resealed({ kid, sealedSecret }: StoredKey): Promise<readonly ResealedSecret[]> {
    if (sealedSecret === undefined || sealer.isNewest(sealedSecret)) return []
    return [{ kid, sealedSecret: await sealer.seal(await sealer.open(sealedSecret, kid), kid) }]
  }
  return {
    async list(attempt) {
      requireRole(attempt.caller, [{ role: 'IAM_OWNER' }, { role: 'IAM_OWNER_VIEWER' }])
      // Nothing is shown that is neither on record nor in the log.
      await recordRead(attemptEvent(attempt, { result: 'success' }))
      return inTurn(rings.current.keys)
    },
    async rotate(attempt, { ring, algorithm }) {
      requireRole(attempt.caller, [{ role: 'IAM_OWNER' }])
      const algorithms: readonly KeyAlgorithm[] =
        ring === 'signing' ? rings.current.signingAlgorithms : ROTATION_POLICY.rings[ring].algorithms
      const wanted = algorithms.filter((known) => algorithm === undefined || known === algorithm)
      if (wanted.length === 0) {
        throw invalidFields([
          { field: 'algorithm', rule: `must be one of ${algorithms.join(', ')} for ${ring}` },
        ])
      }
      const lines = wanted.map((known) => ({ ring, algorithm: known }))
      await rings.change((keys, policy, now) => rotateNow(keys, lines, policy, now), attempt)
      return inTurn(rings.current.keys.filter((key) => key.ring === ring && wanted.includes(key.algorithm)))
    },
    async revoke(attempt, kid) {
      requireRole(attempt.caller, [{ role: 'IAM_OWNER' }])
      await rings.change((keys, policy, now) => revokeNow(keys, requireKey(keys, kid), policy, now), attempt)
      await publish([kid])
      return requireKey(rings.current.keys, kid)
    },
    async rewrap(attempt) {
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
    },
  }
}

/** Line by line, and in each line by the time of use. */
function inTurn(keys: readonly RingKey[]): readonly RingKey[] {
  const place = ({ ring, algorithm }: RingKey) =>
    RINGS.indexOf(ring) * KEY_ALGORITHMS.length + KEY_ALGORITHMS.indexOf(algorithm)
  return keys.toSorted((a, b) => place(a) - place(b) || a.activeAt.getTime() - b.activeAt.getTime())
}

function requireKey<K extends { readonly kid: string }>(keys: readonly K[], kid: string): K {
  const key = keys.find((known) => known.kid === kid)
  if (key === undefined) {
    throw new ApiError('NOT_FOUND', 'kid: there is no such key', { reason: 'key_not_found' })
  }
  return key
}

import type { Attempt } from '@signet/admin-api/audit/audit-log'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { requireRole } from '@signet/admin-api/require-role'
import type { KeyRings, RingKey } from '../rotation/key-rings.ts'
import type { KeyAlgorithm, Ring } from '../rotation/rings.ts'
import { rotateNow } from '../rotation/rotate-now.ts'
import { ROTATION_POLICY } from '../rotation/rotation-policy.ts'
import { inTurn } from './list-keys.ts'

export interface WantedRotation {
  readonly ring: Ring
  /** Every algorithm of the ring when left out. */
  readonly algorithm?: KeyAlgorithm | undefined
}

/**
 * Lets the next keys take over now, or as soon as they were visible long enough, and answers the keys of the ring
 * with their dates.
 */
export type RotateKeys = (attempt: Attempt, wanted: WantedRotation) => Promise<readonly RingKey[]>

export function rotateKeys(rings: Pick<KeyRings, 'change' | 'current'>): RotateKeys {
  return async (attempt, { ring, algorithm }) => {
    requireRole(attempt.caller, [{ role: 'IAM_OWNER' }])
    const { algorithms } = ROTATION_POLICY.rings[ring]
    const wanted = algorithms.filter((known) => algorithm === undefined || known === algorithm)
    if (wanted.length === 0) {
      throw invalidFields([
        { field: 'algorithm', rule: `must be one of ${algorithms.join(', ')} for ${ring}` },
      ])
    }
    const lines = wanted.map((known) => ({ ring, algorithm: known }))
    await rings.change((keys, policy, now) => rotateNow(keys, lines, policy, now), attempt)
    return inTurn(rings.current.keys.filter((key) => key.ring === ring && wanted.includes(key.algorithm)))
  }
}

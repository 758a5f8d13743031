import { requireRole } from '@signet/bearer-authentication/require-role'
import type { ManagementCall } from '../audit/audit-event.ts'
import type { KeyRings, RingKey } from '../rotation/key-rings.ts'
import { KEY_ALGORITHMS, RINGS } from '../rotation/rings.ts'

/** Every key that is known, with its dates and without its secret: ring by ring, in the order of their turns. */
export type ListKeys = (call: ManagementCall) => Promise<readonly RingKey[]>

export function listKeys(rings: Pick<KeyRings, 'current'>): ListKeys {
  return async ({ caller }) => {
    requireRole(caller, [{ role: 'IAM_OWNER' }, { role: 'IAM_OWNER_VIEWER' }])
    return inTurn(rings.current.keys)
  }
}

/** Line by line, and in each line by the time of use. */
export function inTurn(keys: readonly RingKey[]): readonly RingKey[] {
  const place = ({ ring, algorithm }: RingKey) =>
    RINGS.indexOf(ring) * KEY_ALGORITHMS.length + KEY_ALGORITHMS.indexOf(algorithm)
  return keys.toSorted((a, b) => place(a) - place(b) || a.activeAt.getTime() - b.activeAt.getTime())
}

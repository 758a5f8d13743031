import { type Attempt, attemptEvent, type RecordRead } from '@signet/admin-api/audit/audit-log'
import { requireRole } from '@signet/admin-api/require-role'
import type { KeyRings, RingKey } from '../rotation/key-rings.ts'
import { KEY_ALGORITHMS, RINGS } from '../rotation/rings.ts'

/** Every key that is known, with its dates and without its secret: ring by ring, in the order of their turns. */
export type ListKeys = (attempt: Attempt) => Promise<readonly RingKey[]>

interface Dependencies {
  readonly rings: Pick<KeyRings, 'current'>
  readonly recordRead: RecordRead
}

export function listKeys({ rings, recordRead }: Dependencies): ListKeys {
  return async (attempt) => {
    requireRole(attempt.caller, [{ role: 'IAM_OWNER' }, { role: 'IAM_OWNER_VIEWER' }])
    // Nothing is shown that is neither on record nor in the log.
    await recordRead(attemptEvent(attempt, { result: 'success' }))
    return inTurn(rings.current.keys)
  }
}

/** Line by line, and in each line by the time of use. */
export function inTurn(keys: readonly RingKey[]): readonly RingKey[] {
  const place = ({ ring, algorithm }: RingKey) =>
    RINGS.indexOf(ring) * KEY_ALGORITHMS.length + KEY_ALGORITHMS.indexOf(algorithm)
  return keys.toSorted((a, b) => place(a) - place(b) || a.activeAt.getTime() - b.activeAt.getTime())
}

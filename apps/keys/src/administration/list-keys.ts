import { requireRole } from '@signet/bearer-authentication/require-role'
import type { ManagementCall } from '../audit/audit-event.ts'
import type { KeyRings, RingKey } from '../rotation/key-rings.ts'

/** Every key that is known, with its dates and without its secret. */
export type ListKeys = (call: ManagementCall) => Promise<readonly RingKey[]>

export function listKeys(rings: Pick<KeyRings, 'current'>): ListKeys {
  return async ({ caller }) => {
    requireRole(caller, [{ role: 'IAM_OWNER' }, { role: 'IAM_OWNER_VIEWER' }])
    return rings.current.keys
  }
}

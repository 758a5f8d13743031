import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt } from '@signet/admin-api/audit/audit-log'
import { requireRole } from '@signet/admin-api/require-role'
import type { PublishRevocations } from '../revocation/publish-revocations.ts'
import type { KeyRings, RingKey } from '../rotation/key-rings.ts'
import { revokeNow } from '../rotation/revoke-now.ts'

/**
 * Ends a key and everything that was made with it. When it returns the key is in no key set
 * of this replica and no replica of any service accepts what it made. Repeating the call is harmless.
 */
export type RevokeKey = (attempt: Attempt, kid: string) => Promise<RingKey>

interface Dependencies {
  readonly rings: Pick<KeyRings, 'change' | 'current'>
  readonly publish: PublishRevocations
}

export function revokeKey({ rings, publish }: Dependencies): RevokeKey {
  return async (attempt, kid) => {
    requireRole(attempt.caller, [{ role: 'IAM_OWNER' }])
    await rings.change((keys, policy, now) => {
      const key = keys.find((known) => known.kid === kid)
      if (key === undefined) throw keyNotFound()
      return revokeNow(keys, key, policy, now)
    }, attempt)
    await publish([kid])
    const revoked = rings.current.keys.find((key) => key.kid === kid)
    if (revoked === undefined) throw keyNotFound()
    return revoked
  }
}

function keyNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'kid: there is no such key', { reason: 'key_not_found' })
}

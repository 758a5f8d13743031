import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import { normaliseName, parseLoginName } from '../credentials/login-name.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { Email } from './account.ts'

interface Claim {
  readonly organizationId: string
  readonly email: Email | null | undefined
  /** The stored address. */
  readonly before?: Email | undefined
}

/**
 * Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER marks an address as verified that lies in no verified
 * domain of the account's organization. Applications link accounts by verified addresses, so such a mark would hand the
 * account of one person to another.
 */
export async function requireMayVerify(
  caller: Caller,
  domains: Pick<DomainStore, 'find'>,
  { organizationId, email, before }: Claim,
): Promise<void> {
  if (!email?.verified || holdsRole(caller, { role: 'IAM_OWNER' })) return
  if (before?.verified && normaliseName(before.address) === normaliseName(email.address)) return
  const { domain = '' } = parseLoginName(email.address)
  if ((await domains.find(organizationId, domain))?.isVerified) return
  throw new ApiError(
    'PERMISSION_DENIED',
    'needs role IAM_OWNER: only with it email.verified can be true outside the verified domains of the organization; send false',
    { reason: 'role_missing', details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }] },
  )
}

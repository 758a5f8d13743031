// Who may say that an address is that of an account: by marking it as verified, or by making it a user name.
import { domainToUnicode } from 'node:url'
import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { AccountStore } from './account.repository.ts'
import type { Account, Email } from './account.ts'

type Domains = Pick<DomainStore, 'find'>

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
  domains: Domains,
  { organizationId, email, before }: Claim,
): Promise<void> {
  if (!email?.verified || isIamOwner(caller)) return
  if (before?.verified && isSameAddress(before.address, email.address)) return
  if (await isInVerifiedDomain(domains, organizationId, email.address)) return
  throw needsIamOwner(
    'only with it email.verified can be true outside the verified domains of the organization; send false',
  )
}

/**
 * Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER gives an account the address of another person as its user
 * name: one that is neither its own verified address nor in a verified domain of its organization.
 */
export async function requireMayName(
  caller: Caller,
  domains: Domains,
  organizationId: string,
  { userName, before }: { readonly userName: string | undefined; readonly before?: Account },
): Promise<void> {
  if (userName === undefined || !userName.includes('@') || isIamOwner(caller)) return
  if (before !== undefined && userNameKey(before.userName) === userNameKey(userName)) return
  const own = before?.kind === 'human' ? before.email : undefined
  if (own?.verified && isSameAddress(own.address, userName)) return
  if (await isInVerifiedDomain(domains, organizationId, userName)) return
  throw needsIamOwner(
    'only with it userName can have the form of an address that is neither the verified address of the account nor in a verified domain of the organization; send a name without @',
  )
}

/** Throws ApiError ALREADY_EXISTS when another account of the organization has the address, verified, in any case. */
export async function requireFreeAddress(
  accounts: Pick<AccountStore, 'isAddressTaken'>,
  { organizationId, userId, email }: Omit<Claim, 'before'> & { readonly userId: string },
): Promise<void> {
  if (!email?.verified) return
  if (!(await accounts.isAddressTaken({ organizationId, address: email.address, userId }))) return
  const field = 'email.address'
  const rule =
    'another account of the organization has this verified address, and one address signs in one account; send another one, or verified: false'
  throw new ApiError('ALREADY_EXISTS', `${field}: ${rule}`, {
    reason: 'object_conflict',
    details: [{ id: 'object_conflict', field, rule }],
  })
}

/**
 * Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER lets an identity provider verify addresses of a domain that
 * is no verified one of the organization: such an address would be worth as much as one that the caller marks as verified.
 */
export async function requireMayTrustDomains(
  caller: Caller,
  domains: Domains,
  organizationId: string,
  trusted: readonly string[],
): Promise<void> {
  if (isIamOwner(caller)) return
  for (const domain of trusted) {
    // In the spelling of the organization: a trigger takes the trust away with the domain.
    if ((await domains.find(organizationId, domain))?.isVerified) continue
    throw needsIamOwner(
      'only with it trustedEmailDomains can have a domain that is not a verified one of the organization; verify the domain first',
    )
  }
}

const isIamOwner = (caller: Caller): boolean => holdsRole(caller, { role: 'IAM_OWNER' })

const isSameAddress = (one: string, other: string): boolean => emailAddressKey(one) === emailAddressKey(other)

/** Whether an address lies in a verified domain of an organization. */
export async function isInVerifiedDomain(
  domains: Domains,
  organizationId: string,
  address: string,
): Promise<boolean> {
  const key = emailAddressKey(address)
  const domain = key.slice(key.lastIndexOf('@') + 1)
  // Domains are stored as they were added.
  for (const form of new Set([domain, domainToUnicode(domain)])) {
    if ((await domains.find(organizationId, form))?.isVerified) return true
  }
  return false
}

const needsIamOwner = (rule: string): ApiError =>
  new ApiError('PERMISSION_DENIED', `needs role IAM_OWNER: ${rule}`, {
    reason: 'role_missing',
    details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }],
  })

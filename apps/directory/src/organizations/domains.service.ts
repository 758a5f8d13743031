import { ApiError } from '@signet/admin-api/api-error'
import { requireRole } from '@signet/admin-api/require-role'
import type { ManagementCall } from '../api/management-call.ts'
import { managesInstance } from '../permissions/permission.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Domain, DomainStore } from './domain.repository.ts'

interface Stores {
  readonly domains: DomainStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly organizationId: string
  readonly domainName: string
}

export function listDomains(
  _call: ManagementCall<Stores>,
  { organizationId, ...request }: PageRequest & Pick<Target, 'organizationId'>,
  { stores }: Reads,
): Promise<Page<Domain>> {
  return stores.domains.list(organizationId, request)
}

export function readDomain(
  _call: ManagementCall<Stores>,
  { organizationId, domainName }: Target,
  { stores }: Reads,
): Promise<Domain> {
  return requireDomain(stores.domains, organizationId, domainName)
}

/** Adding a domain does not prove its ownership: only the owner of the instance may mark it as verified. */
export function addDomain(
  call: ManagementCall<Stores>,
  { organizationId, domainName, isVerified }: Target & { readonly isVerified: boolean },
): Promise<Domain> {
  if (isVerified) requireRole(call.caller, managesInstance())
  return call.change(async ({ domains }) => {
    await domains.add(organizationId, { domainName, isVerified })
    return { result: await requireDomain(domains, organizationId, domainName) }
  })
}

export function updateDomain(
  call: ManagementCall<Stores>,
  { organizationId, domainName, isVerified }: Target & { readonly isVerified: boolean },
): Promise<Domain> {
  return call.change(async ({ domains }) => {
    const domain = await requireDomain(domains, organizationId, domainName)
    if (!isVerified) requireNotPrimary(domain)
    await domains.setVerified(organizationId, domainName, isVerified)
    return { result: { ...domain, isVerified }, details: { is_verified: isVerified } }
  })
}

export function deleteDomain(
  call: ManagementCall<Stores>,
  { organizationId, domainName }: Target,
): Promise<void> {
  return call.change(async ({ domains }) => {
    requireNotPrimary(await requireDomain(domains, organizationId, domainName))
    await domains.delete(organizationId, domainName)
    return { result: undefined }
  })
}

async function requireDomain(
  domains: DomainStore,
  organizationId: string,
  domainName: string,
): Promise<Domain> {
  const domain = await domains.find(organizationId, domainName)
  if (domain !== undefined) return domain
  throw new ApiError('NOT_FOUND', 'the organization has no such domain', { reason: 'domain_unknown' })
}

function requireNotPrimary({ isPrimary }: Domain): void {
  if (!isPrimary) return
  throw new ApiError(
    'FAILED_PRECONDITION',
    'it is the primary domain; give the organization another primaryDomain first',
    { reason: 'domain_primary' },
  )
}

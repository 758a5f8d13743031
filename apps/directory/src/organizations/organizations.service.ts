import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { changedFields, type ManagementCall } from '../api/management-call.ts'
import { organizationDeleting } from '../database/constraint-conflict.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { DomainStore } from './domain.repository.ts'
import type {
  NewOrganization,
  Organization,
  OrganizationChanges,
  OrganizationFilter,
  OrganizationStore,
} from './organization.repository.ts'

interface Stores {
  readonly domains: DomainStore
  readonly organizations: OrganizationStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

export function listOrganizations(
  { seen }: ManagementCall<Stores>,
  { limit, cursor, ...filter }: PageRequest & OrganizationFilter,
  { stores }: Reads,
): Promise<Page<Organization>> {
  return stores.organizations.list(filter, { limit, cursor }, seen)
}

export function readOrganization(
  _call: ManagementCall<Stores>,
  { organizationId }: { readonly organizationId: string },
  { stores }: Reads,
): Promise<Organization> {
  return requireOrganization(stores.organizations, organizationId)
}

export function createOrganization(
  call: ManagementCall<Stores>,
  given: NewOrganization,
): Promise<Organization> {
  return call.change(async ({ organizations }) => {
    await organizations.add({ ...given, id: call.targetId })
    return { result: await requireOrganization(organizations, call.targetId) }
  })
}

/**
 * When it resolves, nothing is active that was made for users or applications of the organization before it stopped
 * being active. Repeating it publishes again.
 */
export function updateOrganization(
  call: ManagementCall<Stores>,
  { organizationId, ...changes }: OrganizationChanges & { readonly organizationId: string },
): Promise<Organization> {
  return call.change(async ({ organizations, domains }) => {
    const { primaryDomain } = changes
    if (primaryDomain !== undefined && !(await domains.find(organizationId, primaryDomain))?.isVerified) {
      throw invalidFields([{ field: 'primaryDomain', rule: 'must be a verified domain of the organization' }])
    }
    const epochs = await organizations.update(organizationId, changes)
    const result = await requireOrganization(organizations, organizationId)
    if (result.state === 'deleting') throw organizationDeleting()
    return { result, epochs: epochs ?? [], details: changedFields(changes) }
  })
}

/**
 * When it resolves, every session and token of its users and applications is dead; the rows of a large one are deleted later.
 * Repeating it publishes again.
 */
export function deleteOrganization(
  call: ManagementCall<Stores>,
  { organizationId }: { readonly organizationId: string },
): Promise<void> {
  return call.change(async ({ organizations }) => {
    const epochs = await organizations.delete(organizationId)
    if (epochs.length === 0) throw unknownOrganization()
    return { result: undefined, epochs }
  })
}

/** The organization with this id, or ApiError NOT_FOUND. */
export async function requireOrganization(
  organizations: OrganizationStore,
  id: string,
): Promise<Organization> {
  const organization = await organizations.find(id)
  if (organization === undefined) throw unknownOrganization()
  return organization
}

function unknownOrganization(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no organization with this id', {
    reason: 'organization_unknown',
  })
}

import { ApiError } from '@signet/admin-api/api-error'
import type { OrganizationStore } from './organization.repository.ts'
import type { Organization } from './organization.ts'

/** The organization with this id, or ApiError NOT_FOUND. */
export async function requireOrganization(
  organizations: OrganizationStore,
  id: string,
): Promise<Organization> {
  const organization = await organizations.find(id)
  if (organization === undefined) throw unknownOrganization()
  return organization
}

export function unknownOrganization(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no organization with this id', {
    reason: 'organization_unknown',
  })
}

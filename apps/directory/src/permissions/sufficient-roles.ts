import type { SufficientRole } from '@signet/bearer-authentication/require-role'

// What identity.md, "Roles", lets whom do. An object that does not exist lies nowhere, so that only those who may do
// everything learn that it is missing.

export function managesInstance(): readonly SufficientRole[] {
  return [{ role: 'IAM_OWNER' }]
}

export function viewsInstance(): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'IAM_OWNER_VIEWER' }]
}

export function managesOrganization(organizationId: string | undefined): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'ORG_OWNER', objectId: organizationId }]
}

export function managesAccounts(organizationId: string | undefined): readonly SufficientRole[] {
  return [...managesOrganization(organizationId), { role: 'ORG_USER_MANAGER', objectId: organizationId }]
}

export function managesProject(
  project: { readonly organizationId: string; readonly projectId: string } | undefined,
): readonly SufficientRole[] {
  return [
    ...managesOrganization(project?.organizationId),
    { role: 'PROJECT_OWNER', objectId: project?.projectId },
  ]
}

/** How far the roles of an account reach. */
export type Authority = 'none' | 'organization' | 'beyond_organization'

/**
 * Who may take the place of an account, as a new password lets one do: nobody whose own rights are fewer than those of
 * the account, or else ORG_USER_MANAGER would be as good as every other role.
 */
export function impersonatesAccount(organizationId: string, authority: Authority): readonly SufficientRole[] {
  switch (authority) {
    case 'none':
      return managesAccounts(organizationId)
    case 'organization':
      return managesOrganization(organizationId)
    case 'beyond_organization':
      return managesInstance()
  }
}

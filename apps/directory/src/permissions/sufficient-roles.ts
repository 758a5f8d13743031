import type { SufficientRole } from '@signet/admin-api/require-role'
import type { Place } from './place.ts'

// Who may do what, docs/spec 4.4. An object that does not exist lies nowhere, so that only those who may do
// everything learn that it is missing.

export function managesInstance(): readonly SufficientRole[] {
  return [{ role: 'IAM_OWNER' }]
}

export function viewsInstance(): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'IAM_OWNER_VIEWER' }]
}

export function managesOrganization({ organizationId }: Place): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'ORG_OWNER', objectId: organizationId }]
}

export function viewsOrganization({ organizationId }: Place): readonly SufficientRole[] {
  return [
    ...viewsInstance(),
    { role: 'ORG_OWNER', objectId: organizationId },
    { role: 'ORG_OWNER_VIEWER', objectId: organizationId },
  ]
}

export function managesAccounts(place: Place): readonly SufficientRole[] {
  return [...managesOrganization(place), { role: 'ORG_USER_MANAGER', objectId: place.organizationId }]
}

export function viewsAccounts(place: Place): readonly SufficientRole[] {
  return [...viewsOrganization(place), { role: 'ORG_USER_MANAGER', objectId: place.organizationId }]
}

export function managesProject(place: Place): readonly SufficientRole[] {
  return [...managesOrganization(place), { role: 'PROJECT_OWNER', objectId: place.projectId }]
}

export function viewsProject(place: Place): readonly SufficientRole[] {
  return [
    ...viewsOrganization(place),
    { role: 'PROJECT_OWNER', objectId: place.projectId },
    { role: 'PROJECT_OWNER_VIEWER', objectId: place.projectId },
  ]
}

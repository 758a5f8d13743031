/** An account with the roles that it administers something with. */
export interface Member {
  readonly userId: string
  readonly roles: readonly string[]
  /** Roles that do not count yet: the account belongs to another organization and did not accept them. */
  readonly pendingRoles: readonly string[]
}

/** An object that has members: the instance, an organization or a project. */
export type Administered =
  | { readonly level: 'instance' }
  | { readonly level: 'organization' | 'project'; readonly id: string }

/** The roles that grant something at each level, docs/spec 4.4. Others come with imports and grant nothing. */
export const ROLES_OF_LEVEL = {
  instance: ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'IAM_ADMIN_IMPERSONATOR', 'IAM_END_USER_IMPERSONATOR'],
  organization: [
    'ORG_OWNER',
    'ORG_OWNER_VIEWER',
    'ORG_USER_MANAGER',
    'ORG_ADMIN_IMPERSONATOR',
    'ORG_END_USER_IMPERSONATOR',
  ],
  project: ['PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'],
} as const

/** Roles that administer, as identity.md names them. Others that are held grant nothing. */
export type AdministratorRole =
  | 'IAM_OWNER'
  | 'IAM_OWNER_VIEWER'
  | 'ORG_OWNER'
  | 'ORG_USER_MANAGER'
  | 'ORG_OWNER_VIEWER'
  | 'PROJECT_OWNER'
  | 'PROJECT_OWNER_VIEWER'

export interface HeldRole {
  readonly role: string
  /** Absent for roles of the instance; else the organization or the project in which it holds. */
  readonly objectId?: string
}

/** Who is calling a management API, at the moment of the call. */
export interface Caller {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  /** Of the personal access token, or the `jti` of the access token. */
  readonly tokenId: string
  readonly roles: readonly HeldRole[]
}

/** The roles that administer, docs/spec 4.4. Others grant nothing. */
export type AdministratorRole =
  | 'IAM_OWNER'
  | 'IAM_OWNER_VIEWER'
  | 'IAM_ADMIN_IMPERSONATOR'
  | 'IAM_END_USER_IMPERSONATOR'
  | 'ORG_OWNER'
  | 'ORG_USER_MANAGER'
  | 'ORG_OWNER_VIEWER'
  | 'ORG_ADMIN_IMPERSONATOR'
  | 'ORG_END_USER_IMPERSONATOR'
  | 'PROJECT_OWNER'
  | 'PROJECT_OWNER_VIEWER'

export interface HeldRole {
  readonly role: string
  /** Absent for roles of the instance; else the organization or the project in which it holds. */
  readonly objectId?: string
}

/** The caller of a management API, at the moment of the call. */
export interface Caller {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  /** Id of the personal access token, or the `jti` of the access token. */
  readonly tokenId: string
  readonly roles: readonly HeldRole[]
  /** The client that the access token was issued to; absent for a personal access token. */
  readonly clientId?: string
  /** Ids of the actors that act for the user, the latest first; absent without delegation. */
  readonly act?: readonly string[]
  /** How and when (in seconds since 1970) the user signed in, where a sign-in stands behind the token. */
  readonly acr?: string
  readonly authTime?: number
  /** Set while roles of the instance do not count because the sign-in is too old or too weak for them. */
  readonly signInDemand?: SignInDemand
}

/** The requirements on the sign-in (RFC 9470 section 3). */
export interface SignInDemand {
  readonly maxAgeSeconds?: number
  readonly acrValues: readonly string[]
}

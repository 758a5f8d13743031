export interface Project {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly projectRoleAssertion: boolean
  readonly projectRoleCheck: boolean
  readonly hasProjectCheck: boolean
  readonly allowedAudiences: readonly string[]
  readonly createdAt: Date
}

export interface ProjectChanges {
  readonly name?: string | undefined
  readonly projectRoleAssertion?: boolean | undefined
  readonly projectRoleCheck?: boolean | undefined
  readonly hasProjectCheck?: boolean | undefined
  readonly allowedAudiences?: readonly string[] | undefined
}

/** What people may be granted in a project. */
export interface ProjectRole {
  readonly key: string
  readonly displayName: string
  readonly group: string | null
}

export interface ProjectRoleChanges {
  readonly displayName?: string | undefined
  readonly group?: string | null | undefined
}

/** That the people of an organization pass the check of a project as those of its owner do. */
export interface ProjectGrant {
  readonly organizationId: string
}

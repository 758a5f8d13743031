import type { ChangesOf, ValuesOf } from '@signet/protocol/fields/field'
import type { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import type { ROLE_FIELDS } from '@signet/protocol/fields/role'

export interface Project extends ValuesOf<typeof PROJECT_FIELDS> {
  readonly id: string
  readonly organizationId: string
  readonly createdAt: Date
}

export type ProjectChanges = ChangesOf<typeof PROJECT_FIELDS>

/** A role that users may be granted in a project. */
export interface ProjectRole extends ValuesOf<typeof ROLE_FIELDS> {
  readonly key: string
}

export type ProjectRoleChanges = ChangesOf<typeof ROLE_FIELDS>

/** Grant of a project to an organization: its people pass the check of the project as those of the owner do. */
export interface ProjectGrant {
  readonly organizationId: string
  /** Whether the organization accepted it; until then it does not count. */
  readonly accepted: boolean
}

/** The same, as the organization sees it that the project is granted to. */
export interface GrantedProject {
  readonly projectId: string
  readonly name: string
  /** The organization that owns the project. */
  readonly organizationId: string
  readonly accepted: boolean
}

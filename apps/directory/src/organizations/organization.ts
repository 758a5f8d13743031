export type OrganizationState = 'active' | 'inactive'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly state: OrganizationState
  readonly primaryDomain: string
  readonly createdAt: Date
}

export interface OrganizationChanges {
  readonly name?: string | undefined
  readonly primaryDomain?: string | undefined
  readonly state?: OrganizationState | undefined
}

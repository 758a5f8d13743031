/** The roles of a user in a project. */
export interface UserGrant {
  readonly id: string
  readonly projectId: string
  readonly userId: string
  readonly roles: readonly string[]
  readonly createdAt: Date
}

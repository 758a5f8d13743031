/** An object that a name means. */
export interface Reference {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly organizationName: string
  /** The project of an application. */
  readonly projectId?: string | undefined
  readonly projectName?: string | undefined
}

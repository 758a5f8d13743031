/** The scope of an object; empty for an object that does not exist. */
export interface Place {
  readonly organizationId?: string
  readonly projectId?: string
}

/** How far the roles of an account reach. */
export type Authority = 'none' | 'organization' | 'beyond_organization'

/** Where an object lies; what does not exist lies nowhere. */
export interface Place {
  readonly organizationId?: string
  readonly projectId?: string
  /** Of the account that the object is or belongs to. */
  readonly authority?: Authority
}

/** Where an object lies; what does not exist lies nowhere. */
export interface Place {
  readonly organizationId?: string
  readonly projectId?: string
}

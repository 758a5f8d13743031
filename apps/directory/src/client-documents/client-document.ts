/** The application that a consent made of a client with a URL. */
export interface StoredClientDocument {
  readonly applicationId: string
  /** The URL of the document. */
  readonly clientId: string
  readonly name: string
  readonly projectId: string
  readonly state: 'active' | 'inactive'
  readonly createdAt: Date
}

export interface ClientDocumentFilter {
  readonly projectId?: string | undefined
  /** Host of the URL, and its port where it has one. */
  readonly host?: string | undefined
  readonly state?: StoredClientDocument['state'] | undefined
}

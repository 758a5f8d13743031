/** What a person is told about a project that an application wants to act towards. */
export interface AudienceName {
  readonly project: string
  /** Name of the organization that owns it. */
  readonly organization: string
}

/** By the id of the project. */
export type AudienceNames = ReadonlyMap<string, AudienceName>

/** The name of an organization; its id where there is none. */
export type FindOrganizationName = (organizationId: string) => Promise<string>

/** The names of the projects that scopes add to the audience of a token. */
export type FindAudienceNames = (scopes: readonly string[]) => Promise<AudienceNames>

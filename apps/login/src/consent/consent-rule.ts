import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import type { Client } from '../authorize/client.ts'

/** Whether the application belongs to an organization of this person's, by ownership or by an accepted grant. */
export type IsOwnApplication = (client: Client, userId: string) => Promise<boolean>

/** Whether a person has to be asked before an application gets what it wants, whatever the application itself says. */
export type NeedsConsent = (client: Client, userId: string, scopes: readonly string[]) => Promise<boolean>

/** The scopes that a person has allowed an application before. */
export type FindConsent = (userId: string, clientId: string) => Promise<ReadonlySet<string>>

interface ConsentRuleDependencies {
  readonly isOwnApplication: IsOwnApplication
  readonly findConsent: FindConsent
}

/**
 * A foreign application is asked about until each of its scopes has been allowed. Audiences are scopes too, so a wider
 * audience is asked about again.
 */
export function createConsentRule({ isOwnApplication, findConsent }: ConsentRuleDependencies): NeedsConsent {
  return async (client, userId, scopes) => {
    if (client.firstParty || (await isOwnApplication(client, userId))) return false
    const allowed = await findConsent(userId, client.clientId)
    return scopes.some((scope) => !allowed.has(scope))
  }
}

/** What a person is asked about: the scopes, and those that reveal claims which the request names one by one. */
export function askedScopes({
  scopes,
  claims,
}: Pick<AuthorizationRequest, 'scopes' | 'claims'>): readonly string[] {
  return [...new Set([...scopes, ...(claims?.revealedBy ?? [])])]
}

/** What a person is told about a project that an application wants to act towards. */
interface AudienceName {
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

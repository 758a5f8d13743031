import type { DetailType } from '@signet/protocol/authorization-detail-types'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { namedAudiences } from '@signet/protocol/scopes'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Client } from './oauth-client.ts'

/** Whether the application belongs to the organization of the user, by ownership or by an accepted project grant. */
export type IsOwnApplication = (client: Client, userId: string) => Promise<boolean>

/** Whether the user has to consent before the application gets the scopes. */
export type NeedsConsent = (client: Client, userId: string, scopes: readonly string[]) => Promise<boolean>

/** The scopes that a user allowed an application before. */
export type FindConsent = (userId: string, clientId: string) => Promise<ReadonlySet<string>>

interface ConsentRuleDependencies {
  readonly isOwnApplication: IsOwnApplication
  readonly findConsent: FindConsent
}

/**
 * Requires consent for an application of another organization until each of its scopes has been allowed. Audiences are
 * scopes too, so a wider audience needs a new consent. Any process of a device can begin a sign-in in the name of a native
 * application and listen for the code (RFC 8252 section 8.6), so an earlier consent does not count for one, and one of the own
 * organization needs consent for Signet's own APIs, too (docs/decisions/0068-consent-of-native-applications.md). A client that no
 * organization registered needs it each time (docs/decisions/0100-clients-described-by-their-own-document.md); one that registered
 * itself counts as one of another organization (docs/decisions/0101-registered-clients-are-third-parties.md).
 */
export function createConsentRule({ isOwnApplication, findConsent }: ConsentRuleDependencies): NeedsConsent {
  return async (client, userId, scopes) => {
    if (client.documentHost !== undefined) return true
    if (client.firstParty) return false
    if (isNative(client) && namedAudiences(scopes).namesApi) return true
    if (!client.isRegistered && (await isOwnApplication(client, userId))) return false
    if (isNative(client)) return true
    const allowed = await findConsent(userId, client.clientId)
    return scopes.some((scope) => !allowed.has(scope))
  }
}

/** Only these may choose a port. */
const isNative = ({ portRule }: Client) => portRule !== 'registered'

/** The scopes of a consent: those of the request, and those that reveal claims which the request names. */
export function askedScopes({
  scopes,
  claims,
}: Pick<AuthorizationRequest, 'scopes' | 'claims'>): readonly string[] {
  return [...new Set([...scopes, ...(claims?.revealedBy ?? [])])]
}

/** The names of a project that scopes add to the audience. */
interface AudienceName {
  readonly project: string
  /** Name of the organization that owns the project. */
  readonly organization: string
}

/** Keys are project ids. */
export type AudienceNames = ReadonlyMap<string, AudienceName>

/** Returns the id for an unknown organization. */
export type FindOrganizationName = (organizationId: string) => Promise<string>

/** Finds the names of the projects that scopes add to the audience of a token. */
export type FindAudienceNames = (scopes: readonly string[]) => Promise<AudienceNames>

/** Finds the type of a detail that a request asks for; undefined when its project has it no longer. */
export type FindDetailType = (detail: GrantedDetail) => Promise<DetailType | undefined>

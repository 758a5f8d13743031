import type { Client } from '../authorize/client.ts'

/** Whether the application belongs to an organization of this person's, by ownership or by an accepted grant. */
export type IsOwnApplication = (client: Client, userId: string) => Promise<boolean>

/** Whether a person has to be asked before an application gets what it wants, whatever the application itself says. */
export type NeedsConsent = (client: Client, userId: string, scopes: readonly string[]) => Promise<boolean>

/** The scopes that a person has allowed an application before. */
export type FindConsent = (userId: string, clientId: string) => Promise<ReadonlySet<string>>

export interface ConsentRuleDependencies {
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

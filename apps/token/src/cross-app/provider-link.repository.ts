import type { Queryable } from '@signet/platform/postgres/pool'

/** An identity provider whose identity assertions count. */
export interface AssertingProvider {
  readonly providerId: string
  readonly organizationId: string
  /** The claim that identifies people. */
  readonly subjectClaim: string
  /** Claims that an assertion must have, with their values. */
  readonly requiredClaims: Readonly<Record<string, string>>
}

/** A person as a provider names them. */
interface ProviderIdentity {
  readonly providerId: string
  readonly subject: string
}

interface ProviderLink {
  readonly providerId: string
  readonly userId: string
  /** When the person signed in here by the provider last; null: never. */
  readonly lastUsedAt: Date | null
  /** The epoch of the person while the link is there. */
  readonly tokenEpoch: number
}

/** Reads identity providers and links as they are now: nothing is cached, so that a deactivated provider refuses at once. */
export class ProviderLinkStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async providersOf(issuer: string): Promise<readonly AssertingProvider[]> {
    const { rows } = await this.#database.query<AssertingProvider>({
      name: 'provider_assertion.of_issuer', // identity_provider_cross_app
      text: `SELECT provider_id AS "providerId", organization_id AS "organizationId", subject_claim AS "subjectClaim",
                    required_claims AS "requiredClaims"
               FROM directory_read.provider_assertion_v1 WHERE issuer = $1 ORDER BY provider_id`,
      values: [issuer],
    })
    return rows
  }

  /** The people whom the providers know by these subjects. */
  async find(identities: readonly ProviderIdentity[]): Promise<readonly ProviderLink[]> {
    const { rows } = await this.#database.query<ProviderLink>({
      name: 'provider_link.find', // identity_link_identity, primary keys
      text: `SELECT l.provider_id AS "providerId", l.user_id AS "userId", l.last_used_at AS "lastUsedAt",
                    l.token_epoch AS "tokenEpoch"
               FROM unnest($1::text[], $2::text[]) AS i (provider_id, subject)
               JOIN directory_read.provider_link_v1 l USING (provider_id, subject) ORDER BY l.provider_id`,
      values: [identities.map(({ providerId }) => providerId), identities.map(({ subject }) => subject)],
    })
    return rows
  }
}

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

  /** The id of the person that a provider knows by a subject. */
  async personOf(providerId: string, subject: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ readonly userId: string }>({
      name: 'provider_link.find', // identity_link_identity
      text: `SELECT user_id AS "userId" FROM directory_read.provider_link_v1 WHERE provider_id = $1 AND subject = $2`,
      values: [providerId, subject],
    })
    return rows[0]?.userId
  }
}

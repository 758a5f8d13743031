import type { Queryable } from '@signet/platform/postgres/pool'

export interface NewProviderTest {
  readonly id: string
  readonly providerId: string
  /** The administrator. */
  readonly userId: string
  readonly tokenHash: Buffer
  readonly expiresAt: Date
}

/** The test of a link that was not used yet. */
export interface WaitingTest {
  readonly providerId: string
  readonly providerName: string
  readonly providerType: string
  readonly organizationId: string
  /** Null for a service user. */
  readonly personId: string | null
}

type Owner = Pick<NewProviderTest, 'id' | 'providerId' | 'userId'>

/** Tests of identity providers. Each step happens once: of concurrent callers one gets it. */
export class ProviderTestStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Deletes tests whose result is read no more: it has claims of a person. */
  async deleteExpired(now: Date): Promise<void> {
    await this.#database.query({
      name: 'provider_test.delete_expired', // identity_provider_test_expires_at
      text: 'DELETE FROM directory.identity_provider_test WHERE expires_at <= $1',
      values: [now],
    })
  }

  /** Adds a test in place of the last one of the administrator. */
  async add({ id, providerId, userId, tokenHash, expiresAt }: NewProviderTest): Promise<void> {
    await this.#database.query({
      name: 'provider_test.add', // unique constraint
      text: `INSERT INTO directory.identity_provider_test (test_id, provider_id, user_id, token_hash, expires_at)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (provider_id, user_id) DO UPDATE
                SET test_id = excluded.test_id, token_hash = excluded.token_hash, state_hash = NULL, result = NULL,
                    expires_at = excluded.expires_at`,
      values: [id, providerId, userId, tokenHash, expiresAt],
    })
  }

  async findWaiting(tokenHash: Buffer, now: Date): Promise<WaitingTest | undefined> {
    const { rows } = await this.#database.query<WaitingTest>({
      name: 'provider_test.find_waiting', // unique constraint, primary keys
      text: `SELECT i.provider_id AS "providerId", i.name AS "providerName", i.type AS "providerType",
                    i.organization_id AS "organizationId",
                    CASE WHEN a.kind = 'human' THEN a.user_id END AS "personId"
               FROM directory.identity_provider_test t
               JOIN directory.identity_provider i USING (provider_id)
               JOIN directory.account a USING (user_id)
              WHERE t.token_hash = $1 AND t.expires_at > $2`,
      values: [tokenHash, now],
    })
    return rows[0]
  }

  /** Uses a link up. Returns whether it was there. */
  async begin(
    tokenHash: Buffer,
    {
      stateHash,
      now,
      expiresAt,
    }: { readonly stateHash: Buffer; readonly now: Date; readonly expiresAt: Date },
  ): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'provider_test.begin', // unique constraint
      text: `UPDATE directory.identity_provider_test SET token_hash = NULL, state_hash = $2, expires_at = $4
              WHERE token_hash = $1 AND expires_at > $3`,
      values: [tokenHash, stateHash, now, expiresAt],
    })
    return rowCount === 1
  }

  /** The provider of a test that has begun. */
  async findBegun(stateHash: Buffer, now: Date): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ providerId: string }>({
      name: 'provider_test.find_begun', // unique constraint
      text: `SELECT provider_id AS "providerId" FROM directory.identity_provider_test
              WHERE state_hash = $1 AND expires_at > $2`,
      values: [stateHash, now],
    })
    return rows[0]?.providerId
  }

  /** Stores the result of a test. Returns whether it had none. */
  async finish(
    stateHash: Buffer,
    { result, now, expiresAt }: { readonly result: object; readonly now: Date; readonly expiresAt: Date },
  ): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'provider_test.finish', // unique constraint
      text: `UPDATE directory.identity_provider_test SET state_hash = NULL, result = $2, expires_at = $4
              WHERE state_hash = $1 AND expires_at > $3`,
      values: [stateHash, storableJson(result), now, expiresAt],
    })
    return rowCount === 1
  }

  /** `waiting`: there is no result yet; undefined: the caller has no such test. */
  async stateOf({ id, providerId, userId }: Owner, now: Date): Promise<'waiting' | 'done' | undefined> {
    const { rows } = await this.#database.query<{ state: 'waiting' | 'done' }>({
      name: 'provider_test.state', // primary key
      text: `SELECT CASE WHEN result IS NULL THEN 'waiting' ELSE 'done' END AS state
               FROM directory.identity_provider_test
              WHERE test_id = $1 AND provider_id = $2 AND user_id = $3 AND expires_at > $4`,
      values: [id, providerId, userId, now],
    })
    return rows[0]?.state
  }

  /** Deletes a test with a result, and returns the result. */
  async take({ id, providerId, userId }: Owner, now: Date): Promise<object | undefined> {
    const { rows } = await this.#database.query<{ result: object }>({
      name: 'provider_test.take', // primary key
      text: `DELETE FROM directory.identity_provider_test
              WHERE test_id = $1 AND provider_id = $2 AND user_id = $3 AND result IS NOT NULL AND expires_at > $4
             RETURNING result`,
      values: [id, providerId, userId, now],
    })
    return rows[0]?.result
  }
}

/** JSON whose texts PostgreSQL takes: U+0000 and halves of a surrogate pair, which claims may have, are replaced. */
const storableJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/\\(?:\\|u0000|ud[89a-f][\da-f]{2})/g, (written) =>
    written === '\\\\' ? written : '\\ufffd',
  )

import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

/** An issuer that a service user trusts, and what its assertions must say. */
export interface IssuerTrust {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, string>>
  /** Null: the issuer publishes it. */
  readonly keySet: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
}

const SELECT = `SELECT trust_id AS id, issuer, subject, claims, key_set AS "keySet", created_at AS "createdAt"
                  FROM directory.issuer_trust`

/** The issuers that service users trust. */
export class IssuerTrustStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(userId: string, request: PageRequest): Promise<Page<IssuerTrust>> {
    return readPage<IssuerTrust>(this.#database, {
      name: 'issuer_trust.list', // primary key
      select: SELECT,
      key: 'trust_id',
      keyMember: 'id',
      filters: { user_id: userId },
      request,
    })
  }

  async find(userId: string, trustId: string): Promise<Omit<IssuerTrust, 'id' | 'createdAt'> | undefined> {
    const { rows } = await this.#database.query<IssuerTrust>({
      name: 'issuer_trust.find', // primary key
      text: `${SELECT} WHERE user_id = $1 AND trust_id = $2`,
      values: [userId, trustId],
    })
    const { issuer, subject, claims, keySet } = rows[0] ?? {}
    return issuer === undefined || subject === undefined || claims === undefined || keySet === undefined
      ? undefined
      : { issuer, subject, claims, keySet }
  }

  /** Puts other rules in the place of those of a trust. */
  async replace(userId: string, trust: Omit<IssuerTrust, 'createdAt'>): Promise<void> {
    const { id, issuer, subject, claims, keySet } = trust
    await this.#database.query({
      name: 'issuer_trust.replace', // primary key
      text: `UPDATE directory.issuer_trust SET issuer = $3, subject = $4, claims = $5, key_set = $6
              WHERE user_id = $1 AND trust_id = $2`,
      values: [userId, id, issuer, subject, JSON.stringify(claims), keySet && JSON.stringify(keySet)],
    })
  }

  /** The number of trusts of a service user, which no other transaction changes until this one ends. */
  async lockAndCount(userId: string): Promise<number> {
    await this.#database.query({
      name: 'issuer_trust.lock_owner', // primary key
      text: 'SELECT FROM directory.service_user WHERE user_id = $1 FOR NO KEY UPDATE',
      values: [userId],
    })
    const { rows } = await this.#database.query<{ n: number }>({
      name: 'issuer_trust.count', // primary key
      text: 'SELECT count(*)::int AS n FROM directory.issuer_trust WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]?.n ?? 0
  }

  async add(userId: string, trust: IssuerTrust): Promise<void> {
    const { id, issuer, subject, claims, keySet, createdAt } = trust
    await this.#database.query({
      name: 'issuer_trust.add',
      text: `INSERT INTO directory.issuer_trust (user_id, trust_id, issuer, subject, claims, key_set, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        userId,
        id,
        issuer,
        subject,
        JSON.stringify(claims),
        keySet && JSON.stringify(keySet),
        createdAt,
      ],
    })
  }

  /** Whether there was one. */
  async delete(userId: string, trustId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'issuer_trust.delete', // primary key
      text: 'DELETE FROM directory.issuer_trust WHERE user_id = $1 AND trust_id = $2',
      values: [userId, trustId],
    })
    return rowCount === 1
  }
}

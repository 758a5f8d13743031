import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

/** An issuer that a service user or an application trusts, and what its assertions must say. */
export interface IssuerTrust {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, string>>
  /** Null: the issuer publishes it. */
  readonly keySet: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
}

const OWNERS = {
  issuer_trust: { table: 'service_user', key: 'user_id' },
  application_issuer_trust: { table: 'application', key: 'application_id' },
} as const

const COLUMNS = 'trust_id AS id, issuer, subject, claims, key_set AS "keySet", created_at AS "createdAt"'

/** The issuers that service users or applications trust. */
export class IssuerTrustStore {
  readonly #database: Queryable
  readonly #table: keyof typeof OWNERS
  readonly #owner: (typeof OWNERS)[keyof typeof OWNERS]
  readonly #select: string

  constructor(database: Queryable, table: keyof typeof OWNERS) {
    this.#database = database
    this.#table = table
    this.#owner = OWNERS[table]
    this.#select = `SELECT ${COLUMNS} FROM directory.${table}`
  }

  list(ownerId: string, request: PageRequest): Promise<Page<IssuerTrust>> {
    return readPage<IssuerTrust>(this.#database, {
      name: `${this.#table}.list`, // primary key
      select: this.#select,
      key: 'trust_id',
      keyMember: 'id',
      filters: { [this.#owner.key]: ownerId },
      request,
    })
  }

  async find(ownerId: string, trustId: string): Promise<Omit<IssuerTrust, 'id' | 'createdAt'> | undefined> {
    const { rows } = await this.#database.query<IssuerTrust>({
      name: `${this.#table}.find`, // primary key
      text: `${this.#select} WHERE ${this.#owner.key} = $1 AND trust_id = $2`,
      values: [ownerId, trustId],
    })
    const { issuer, subject, claims, keySet } = rows[0] ?? {}
    return issuer === undefined || subject === undefined || claims === undefined || keySet === undefined
      ? undefined
      : { issuer, subject, claims, keySet }
  }

  /** Finds a trust, which no other transaction changes until this one ends. */
  async lockAndFind(ownerId: string, trustId: string) {
    await this.#lock(ownerId)
    return this.find(ownerId, trustId)
  }

  /** Puts other rules in the place of those of a trust, and returns it when it is there. */
  async replace(ownerId: string, trust: Omit<IssuerTrust, 'createdAt'>): Promise<IssuerTrust | undefined> {
    const { id, issuer, subject, claims, keySet } = trust
    const { rows } = await this.#database.query<IssuerTrust>({
      name: `${this.#table}.replace`, // primary key
      text: `UPDATE directory.${this.#table} SET issuer = $3, subject = $4, claims = $5, key_set = $6
              WHERE ${this.#owner.key} = $1 AND trust_id = $2 RETURNING ${COLUMNS}`,
      values: [ownerId, id, issuer, subject, JSON.stringify(claims), keySet && JSON.stringify(keySet)],
    })
    return rows[0]
  }

  /** The number of trusts of an owner, which no other transaction changes until this one ends. */
  async lockAndCount(ownerId: string): Promise<number> {
    await this.#lock(ownerId)
    const { rows } = await this.#database.query<{ n: number }>({
      name: `${this.#table}.count`, // primary key
      text: `SELECT count(*)::int AS n FROM directory.${this.#table} WHERE ${this.#owner.key} = $1`,
      values: [ownerId],
    })
    return rows[0]?.n ?? 0
  }

  async add(ownerId: string, trust: IssuerTrust): Promise<void> {
    const { id, issuer, subject, claims, keySet, createdAt } = trust
    await this.#database.query({
      name: `${this.#table}.add`,
      text: `INSERT INTO directory.${this.#table} (${this.#owner.key}, trust_id, issuer, subject, claims, key_set, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        ownerId,
        id,
        issuer,
        subject,
        JSON.stringify(claims),
        keySet && JSON.stringify(keySet),
        createdAt,
      ],
    })
  }

  async #lock(ownerId: string): Promise<void> {
    await this.#database.query({
      name: `${this.#table}.lock_owner`, // primary key
      text: `SELECT FROM directory.${this.#owner.table} WHERE ${this.#owner.key} = $1 FOR NO KEY UPDATE`,
      values: [ownerId],
    })
  }

  /** Whether there was one. */
  async delete(ownerId: string, trustId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: `${this.#table}.delete`, // primary key
      text: `DELETE FROM directory.${this.#table} WHERE ${this.#owner.key} = $1 AND trust_id = $2`,
      values: [ownerId, trustId],
    })
    return rowCount === 1
  }
}

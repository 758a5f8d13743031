import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { RegisteredKey } from './credential.schema.ts'

const OWNERS = { machine_key: 'user_id', application_key: 'application_id' } as const

/** The keys of service users or of applications. */
export class RegisteredKeyStore {
  readonly #database: Queryable
  readonly #table: keyof typeof OWNERS
  readonly #owner: string
  readonly #select: string

  constructor(database: Queryable, table: keyof typeof OWNERS) {
    this.#database = database
    this.#table = table
    this.#owner = OWNERS[table]
    this.#select = `SELECT kid AS id, jwk AS "publicKeyJwk", created_at AS "createdAt", expires_at AS "expiresAt"
                      FROM directory.${table}`
  }

  list(ownerId: string, request: PageRequest): Promise<Page<RegisteredKey>> {
    return readPage<RegisteredKey>(this.#database, {
      name: `${this.#table}.list`, // primary key
      select: this.#select,
      key: 'kid',
      keyMember: 'id',
      filters: { [this.#owner]: ownerId },
      request,
    })
  }

  async find(ownerId: string, keyId: string): Promise<RegisteredKey | undefined> {
    const { rows } = await this.#database.query<RegisteredKey>({
      name: `${this.#table}.find`, // primary key
      text: `${this.#select} WHERE ${this.#owner} = $1 AND kid = $2`,
      values: [ownerId, keyId],
    })
    return rows[0]
  }

  async add(ownerId: string, { id, publicKeyJwk, createdAt, expiresAt }: RegisteredKey): Promise<void> {
    await this.#database.query({
      name: `${this.#table}.add`,
      text: `INSERT INTO directory.${this.#table} (${this.#owner}, kid, jwk, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5)`,
      values: [ownerId, id, JSON.stringify(publicKeyJwk), createdAt, expiresAt],
    })
  }

  /** Puts another public key in the place of the registered one. */
  async replace(
    ownerId: string,
    { id, publicKeyJwk }: Pick<RegisteredKey, 'id' | 'publicKeyJwk'>,
  ): Promise<void> {
    await this.#database.query({
      name: `${this.#table}.replace`, // primary key
      text: `UPDATE directory.${this.#table} SET jwk = $3 WHERE ${this.#owner} = $1 AND kid = $2`,
      values: [ownerId, id, JSON.stringify(publicKeyJwk)],
    })
  }

  /** Whether there was one. */
  async delete(ownerId: string, keyId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: `${this.#table}.delete`, // primary key
      text: `DELETE FROM directory.${this.#table} WHERE ${this.#owner} = $1 AND kid = $2`,
      values: [ownerId, keyId],
    })
    return rowCount === 1
  }
}

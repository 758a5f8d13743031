import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

/** Key and value that administrators note about an object. */
export interface MetadataEntry {
  readonly key: string
  readonly value: Buffer
}

const COLUMNS = { user_metadata: 'user_id', organization_metadata: 'organization_id' } as const

/** The metadata of one kind of owner. */
export class MetadataStore {
  readonly #database: Queryable
  readonly #table: keyof typeof COLUMNS
  readonly #column: string

  constructor(database: Queryable, table: keyof typeof COLUMNS) {
    this.#database = database
    this.#table = table
    this.#column = COLUMNS[table]
  }

  async find(ownerId: string, key: string): Promise<Buffer | undefined> {
    const { rows } = await this.#database.query<{ value: Buffer }>({
      name: `${this.#table}.find`, // primary key
      text: `SELECT value FROM directory.${this.#table} WHERE ${this.#column} = $1 AND key = $2`,
      values: [ownerId, key],
    })
    return rows[0]?.value
  }

  list(ownerId: string, request: PageRequest): Promise<Page<MetadataEntry>> {
    return readPage<MetadataEntry>(this.#database, {
      name: `${this.#table}.list`, // primary key
      select: `SELECT key, value FROM directory.${this.#table}`,
      key: 'key',
      keyMember: 'key',
      filters: { [this.#column]: ownerId },
      request,
    })
  }

  async set(ownerId: string, key: string, value: Buffer): Promise<void> {
    await this.#database.query({
      name: `${this.#table}.set`, // primary key
      text: `INSERT INTO directory.${this.#table} (${this.#column}, key, value) VALUES ($1, $2, $3)
                 ON CONFLICT (${this.#column}, key) DO UPDATE SET value = excluded.value`,
      values: [ownerId, key, value],
    })
  }

  /** Whether there was any. */
  async delete(ownerId: string, key: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: `${this.#table}.delete`, // primary key
      text: `DELETE FROM directory.${this.#table} WHERE ${this.#column} = $1 AND key = $2`,
      values: [ownerId, key],
    })
    return rowCount === 1
  }
}

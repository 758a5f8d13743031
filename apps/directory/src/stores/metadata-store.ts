import type { Queryable } from '@signet/postgres/pool'
import type { Metadata } from '../accounts/account.ts'
import type { Page, PageRequest } from '../management/page.ts'
import { readPage } from './keyset-page.ts'

export interface MetadataStore {
  find(userId: string, key: string): Promise<Buffer | undefined>
  list(userId: string, request: PageRequest): Promise<Page<Metadata>>
  set(userId: string, key: string, value: Buffer): Promise<void>
  /** Whether there was any. */
  delete(userId: string, key: string): Promise<boolean>
}

export class PostgresMetadataStore implements MetadataStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(userId: string, key: string) {
    const { rows } = await this.#database.query<{ value: Buffer }>({
      name: 'user_metadata.find', // primary key
      text: 'SELECT value FROM directory.user_metadata WHERE user_id = $1 AND key = $2',
      values: [userId, key],
    })
    return rows[0]?.value
  }

  list(userId: string, request: PageRequest) {
    return readPage<Metadata>(this.#database, {
      name: 'user_metadata.list', // primary key
      select: 'SELECT key, value FROM directory.user_metadata',
      key: 'key',
      keyMember: 'key',
      filters: { user_id: userId },
      request,
    })
  }

  async set(userId: string, key: string, value: Buffer) {
    await this.#database.query({
      name: 'user_metadata.set', // primary key
      text: `INSERT INTO directory.user_metadata (user_id, key, value) VALUES ($1, $2, $3)
                 ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`,
      values: [userId, key, value],
    })
  }

  async delete(userId: string, key: string) {
    const { rowCount } = await this.#database.query({
      name: 'user_metadata.delete', // primary key
      text: 'DELETE FROM directory.user_metadata WHERE user_id = $1 AND key = $2',
      values: [userId, key],
    })
    return rowCount === 1
  }
}

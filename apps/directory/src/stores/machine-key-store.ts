import type { Queryable } from '@signet/postgres/pool'
import type { RegisteredKey } from '../credentials/credential.ts'
import type { Page, PageRequest } from '../management/page.ts'
import { readPage } from './keyset-page.ts'

export interface MachineKeyStore {
  list(userId: string, request: PageRequest): Promise<Page<RegisteredKey>>
  add(userId: string, key: RegisteredKey): Promise<void>
  /** Whether there was one. */
  delete(userId: string, keyId: string): Promise<boolean>
}

export class PostgresMachineKeyStore implements MachineKeyStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(userId: string, request: PageRequest) {
    return readPage<RegisteredKey>(this.#database, {
      name: 'machine_key.list', // primary key
      select: `SELECT kid AS id, jwk AS "publicKeyJwk", created_at AS "createdAt", expires_at AS "expiresAt"
                 FROM directory.machine_key`,
      key: 'kid',
      keyMember: 'id',
      filters: { user_id: userId },
      request,
    })
  }

  async add(userId: string, { id, publicKeyJwk, createdAt, expiresAt }: RegisteredKey) {
    await this.#database.query({
      name: 'machine_key.add',
      text: 'INSERT INTO directory.machine_key (user_id, kid, jwk, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
      values: [userId, id, JSON.stringify(publicKeyJwk), createdAt, expiresAt],
    })
  }

  async delete(userId: string, keyId: string) {
    const { rowCount } = await this.#database.query({
      name: 'machine_key.delete', // primary key
      text: 'DELETE FROM directory.machine_key WHERE user_id = $1 AND kid = $2',
      values: [userId, keyId],
    })
    return rowCount === 1
  }
}

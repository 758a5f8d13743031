import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { PersonalAccessToken } from './credential.schema.ts'

const SELECT = `SELECT token_id AS id, created_at AS "createdAt", expires_at AS "expiresAt", roles
                  FROM directory.personal_access_token`

export class PersonalAccessTokenStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(userId: string, request: PageRequest): Promise<Page<PersonalAccessToken>> {
    return readPage<PersonalAccessToken>(this.#database, {
      name: 'personal_access_token.list', // primary key
      select: SELECT,
      key: 'token_id',
      keyMember: 'id',
      filters: { user_id: userId },
      request,
    })
  }

  async find(userId: string, tokenId: string): Promise<PersonalAccessToken | undefined> {
    const { rows } = await this.#database.query<PersonalAccessToken>({
      name: 'personal_access_token.find', // primary key
      text: `${SELECT} WHERE user_id = $1 AND token_id = $2`,
      values: [userId, tokenId],
    })
    return rows[0]
  }

  async add(
    userId: string,
    { id, hash, expiresAt, createdAt, roles }: PersonalAccessToken & { readonly hash: Buffer },
  ): Promise<void> {
    await this.#database.query({
      name: 'personal_access_token.add',
      text: `INSERT INTO directory.personal_access_token (user_id, token_id, token_hash, expires_at, created_at, roles)
             VALUES ($1, $2, $3, $4, $5, $6)`,
      values: [userId, id, hash, expiresAt, createdAt, roles],
    })
  }

  /** Another token or another end under the same id. */
  async update(
    userId: string,
    tokenId: string,
    { hash, expiresAt }: { readonly hash?: Buffer; readonly expiresAt?: Date },
  ): Promise<void> {
    await this.#database.query({
      name: 'personal_access_token.update', // primary key
      text: `UPDATE directory.personal_access_token
                SET token_hash = coalesce($3, token_hash), expires_at = coalesce($4, expires_at)
              WHERE user_id = $1 AND token_id = $2`,
      values: [userId, tokenId, hash ?? null, expiresAt ?? null],
    })
  }

  /** How long one may live that is made now. */
  async longestLifeSeconds(): Promise<number> {
    const { rows } = await this.#database.query<{ seconds: number }>({
      name: 'setting.personal_access_token_seconds', // one row
      text: 'SELECT personal_access_token_seconds AS seconds FROM directory.setting',
    })
    return rows[0]?.seconds ?? 0
  }

  /** Whether it existed. After the commit no request is authenticated with it. */
  async delete(userId: string, tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'personal_access_token.delete', // primary key
      text: 'DELETE FROM directory.personal_access_token WHERE user_id = $1 AND token_id = $2',
      values: [userId, tokenId],
    })
    return rowCount === 1
  }

  /** Whether one was deleted in the last 25 hours. */
  async hasEnded(userId: string, tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'ending_change.of_personal_access_token', // ending_change_id
      text: `SELECT FROM directory.ending_change WHERE kind = 'p' AND id = $1 LIMIT 1`,
      values: [`${userId} ${tokenId}`],
    })
    return rowCount === 1
  }
}

import type { Queryable } from '@signet/postgres/pool'

export interface HeldRole {
  readonly role: string
  /** Absent for roles of the instance; else the organization or project it holds in. */
  readonly objectId?: string
}

/** Reads what the directory publishes about bearers of its APIs; nothing is remembered between calls. */
export interface BearerStore {
  /** The owner of a personal access token, by its SHA-256, while it may be used. */
  personalAccessToken(
    hash: Buffer,
    now: Date,
  ): Promise<{ readonly userId: string; readonly tokenId: string } | undefined>
  rolesOf(userId: string): Promise<readonly HeldRole[]>
}

export class PostgresBearerStore implements BearerStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async personalAccessToken(hash: Buffer, now: Date) {
    const { rows } = await this.#database.query<{ user_id: string; token_id: string }>({
      // unique index on the hash
      name: 'personal_access_token.find',
      text: `SELECT user_id, token_id FROM directory_read.personal_access_token_v1
              WHERE token_hash = $1 AND active AND (expires_at IS NULL OR expires_at > $2)`,
      values: [hash, now],
    })
    return rows[0] && { userId: rows[0].user_id, tokenId: rows[0].token_id }
  }

  async rolesOf(userId: string): Promise<readonly HeldRole[]> {
    const { rows } = await this.#database.query<{ role: string; object_id: string | null }>({
      name: 'member.roles_of', // primary key, by user
      text: 'SELECT role, object_id FROM directory_read.member_v1 WHERE user_id = $1 ORDER BY role, object_id',
      values: [userId],
    })
    return rows.map(({ role, object_id }) => (object_id === null ? { role } : { role, objectId: object_id }))
  }
}

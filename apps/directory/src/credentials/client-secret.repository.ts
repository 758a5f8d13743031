import type { Queryable } from '@signet/platform/postgres/pool'

export interface NewSecret {
  readonly hash: string
  readonly at: Date
  readonly othersEnd: Date
}

/** A secret that counts; its text is not stored. */
export interface StoredSecret {
  readonly createdAt: Date
  /** Whether its text has at least the length of a generated one. */
  readonly isLong: boolean
}

const OWNERS = { service_user_secret: 'user_id', application_secret: 'application_id' } as const

export class ClientSecretStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /**
   * Makes `hash` the newest secret of a service user; the others are valid until `othersEnd` at the latest. Answers
   * whether any that was valid has ended by it.
   */
  rotateOfServiceUser(userId: string, secret: NewSecret): Promise<boolean> {
    return this.#rotate('service_user_secret', userId, secret)
  }

  /** The same for an application. */
  rotateOfApplication(applicationId: string, secret: NewSecret): Promise<boolean> {
    return this.#rotate('application_secret', applicationId, secret)
  }

  /** Whether there was any. */
  deleteOfServiceUser(userId: string): Promise<boolean> {
    return this.#delete('service_user_secret', userId)
  }

  /** The same for an application. */
  deleteOfApplication(applicationId: string): Promise<boolean> {
    return this.#delete('application_secret', applicationId)
  }

  /** The secrets of an application that count at a time. */
  async ofApplication(applicationId: string, at: Date): Promise<readonly StoredSecret[]> {
    const { rows } = await this.#database.query<StoredSecret>({
      name: 'application_secret.list', // application_secret_owner
      text: `SELECT created_at AS "createdAt", hash LIKE 'sha256$%' AS "isLong" FROM directory.application_secret
              WHERE application_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      values: [applicationId, at],
    })
    return rows
  }

  async #delete(table: keyof typeof OWNERS, id: string) {
    const { rowCount } = await this.#database.query({
      name: `${table}.delete`, // service_user_secret_owner or application_secret_owner
      text: `DELETE FROM directory.${table} WHERE ${OWNERS[table]} = $1`,
      values: [id],
    })
    return rowCount > 0
  }

  async #rotate(table: keyof typeof OWNERS, id: string, { hash, at, othersEnd }: NewSecret) {
    const owner = OWNERS[table]
    // Runs first, so that the second call counts only secrets that this rotation expires.
    await this.#forget(table, id, at)
    // First, so that the owner can sign in after every statement.
    const added = await this.#database.query<{ secret_id: string }>({
      name: `${table}.add`,
      text: `INSERT INTO directory.${table} (${owner}, hash, created_at) VALUES ($1, $2, $3) RETURNING secret_id`,
      values: [id, hash, at],
    })
    await this.#database.query({
      name: `${table}.end_others`, // service_user_secret_owner or application_secret_owner
      text: `UPDATE directory.${table} SET expires_at = $2
              WHERE ${owner} = $1 AND secret_id <> $3 AND (expires_at IS NULL OR expires_at > $2)`,
      values: [id, othersEnd, added.rows[0]?.secret_id],
    })
    return await this.#forget(table, id, at)
  }

  async #forget(table: keyof typeof OWNERS, id: string, at: Date) {
    const { rowCount } = await this.#database.query({
      name: `${table}.forget`, // service_user_secret_owner or application_secret_owner
      text: `DELETE FROM directory.${table} WHERE ${OWNERS[table]} = $1 AND expires_at <= $2`,
      values: [id, at],
    })
    return rowCount > 0
  }
}

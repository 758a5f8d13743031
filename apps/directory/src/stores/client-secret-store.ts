import type { Queryable } from '@signet/postgres/pool'

export interface ClientSecretStore {
  /**
   * Makes `hash` the newest secret of a service user; the others are valid until `othersEnd` at the latest. Answers
   * whether any has ended already.
   */
  rotateOfServiceUser(userId: string, secret: NewSecret): Promise<boolean>
  /** Whether there was any. */
  deleteOfServiceUser(userId: string): Promise<boolean>
}

export interface NewSecret {
  readonly hash: string
  readonly at: Date
  readonly othersEnd: Date
}

export class PostgresClientSecretStore implements ClientSecretStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async rotateOfServiceUser(userId: string, { hash, at, othersEnd }: NewSecret) {
    await this.#database.query({
      name: 'service_user_secret.end_others', // service_user_secret_owner
      text: `UPDATE directory.service_user_secret SET expires_at = $2
              WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      values: [userId, othersEnd],
    })
    const { rowCount } = await this.#database.query({
      name: 'service_user_secret.forget', // service_user_secret_owner
      text: 'DELETE FROM directory.service_user_secret WHERE user_id = $1 AND expires_at <= $2',
      values: [userId, at],
    })
    await this.#database.query({
      name: 'service_user_secret.add',
      text: 'INSERT INTO directory.service_user_secret (user_id, hash, created_at) VALUES ($1, $2, $3)',
      values: [userId, hash, at],
    })
    return rowCount > 0
  }

  async deleteOfServiceUser(userId: string) {
    const { rowCount } = await this.#database.query({
      name: 'service_user_secret.delete', // service_user_secret_owner
      text: 'DELETE FROM directory.service_user_secret WHERE user_id = $1',
      values: [userId],
    })
    return rowCount > 0
  }
}

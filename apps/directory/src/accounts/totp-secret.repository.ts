import type { Queryable } from '@signet/platform/postgres/pool'
import { lockFactors } from './second-factor.repository.ts'

export class TotpSecretStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async isSet(userId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'account_totp.is_set', // primary key
      text: 'SELECT FROM directory.account_totp WHERE user_id = $1',
      values: [userId],
    })
    return rowCount === 1
  }

  /** Replaces an existing secret. */
  async set(userId: string, sealedSeed: Buffer): Promise<void> {
    await this.#database.query({
      name: 'account_totp.set', // primary key
      text: `INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ($1, $2)
                 ON CONFLICT (user_id) DO UPDATE SET sealed_seed = excluded.sealed_seed`,
      values: [userId, sealedSeed],
    })
  }

  /** Returns false when the account had no secret. */
  async delete(userId: string): Promise<boolean> {
    await lockFactors(this.#database, userId)
    const { rowCount } = await this.#database.query({
      name: 'account_totp.delete', // primary key
      text: 'DELETE FROM directory.account_totp WHERE user_id = $1',
      values: [userId],
    })
    return rowCount === 1
  }
}

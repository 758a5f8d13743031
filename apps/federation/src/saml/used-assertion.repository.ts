import { createHash } from 'node:crypto'
import type { Database } from '@signet/platform/postgres/pool'

/** The assertions that signed a person in. */
export class UsedAssertionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns whether the assertion is used for the first time: of all callers in all processes, one gets true. */
  async add(providerId: string, assertionId: string, expiresAt: Date): Promise<boolean> {
    const hash = createHash('sha256')
      .update(JSON.stringify([providerId, assertionId]))
      .digest()
    const { rowCount } = await this.#database.query({
      name: 'federation.used_assertion.add',
      text: `INSERT INTO federation.used_assertion (assertion_hash, expires_at) VALUES ($1, $2)
             ON CONFLICT (assertion_hash) DO NOTHING`,
      values: [hash, expiresAt],
    })
    return rowCount === 1
  }

  /** Deletes up to `most` assertions that have expired and returns how many there were. */
  async deleteExpired(now: Date, most: number): Promise<number> {
    const { rowCount } = await this.#database.query({
      name: 'federation.used_assertion.delete_expired',
      text: `DELETE FROM federation.used_assertion WHERE ctid = ANY (ARRAY(
               SELECT ctid FROM federation.used_assertion WHERE expires_at <= $1
                ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      values: [now, most],
    })
    return rowCount
  }
}

import type { Queryable } from '@signet/platform/postgres/pool'

export interface MasterKeyCheckStore {
  /** Stores the first value and returns it to every caller. */
  storeOnce(sealed: Buffer): Promise<Buffer>
}

export class PostgresMasterKeyCheckStore implements MasterKeyCheckStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async storeOnce(sealed: Buffer): Promise<Buffer> {
    await this.#database.query({
      name: 'master_key_check.insert',
      text: 'INSERT INTO directory.master_key_check (sealed) VALUES ($1) ON CONFLICT DO NOTHING',
      values: [sealed],
    })
    const { rows } = await this.#database.query<{ sealed: Buffer }>({
      name: 'master_key_check.select',
      text: 'SELECT sealed FROM directory.master_key_check',
    })
    return rows[0]?.sealed ?? sealed
  }
}

import type { Database } from '@signet/platform/postgres/pool'

export class ChangeFeedStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The oldest transaction that still runs; everything below it has ended. */
  async horizon(): Promise<string> {
    const { rows } = await this.#database.query<{ horizon: string }>({
      name: 'change.horizon',
      text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
    })
    const [row] = rows
    if (row === undefined) throw new Error('pg_current_snapshot answered nothing')
    return row.horizon
  }

  /** Removes what transactions below the horizon wrote. */
  async deleteBelow(horizon: string): Promise<number> {
    const statement = {
      name: 'change.delete_below', // change_xid
      text: 'DELETE FROM directory.change WHERE xid < $1::text::xid8',
      values: [horizon],
    }
    // An import of a million users leaves as many rows.
    const deleted = await this.#database.transaction((tx) => tx.query(statement), { kind: 'background' })
    return deleted.rowCount
  }
}

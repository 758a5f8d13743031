import type { Queryable } from '@signet/postgres/pool'

export interface ChangeFeedStore {
  /** The oldest transaction that still runs; everything below it has ended. */
  horizon(): Promise<string>
  /** Removes what transactions below the horizon wrote. */
  deleteBelow(horizon: string): Promise<number>
}

export class PostgresChangeFeedStore implements ChangeFeedStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async horizon(): Promise<string> {
    const { rows } = await this.#database.query<{ horizon: string }>({
      name: 'change.horizon',
      text: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
    })
    const [row] = rows
    if (row === undefined) throw new Error('pg_current_snapshot answered nothing')
    return row.horizon
  }

  async deleteBelow(horizon: string): Promise<number> {
    const { rowCount } = await this.#database.query({
      name: 'change.delete_below', // change_xid
      text: 'DELETE FROM directory.change WHERE xid < $1::text::xid8',
      values: [horizon],
    })
    return rowCount
  }
}

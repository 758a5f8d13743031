import type { Database, Queryable } from '../postgres/pool.ts'

/** The columns that every outbox table has; `day` and `id` are its primary key. */
export interface Delivery {
  readonly id: string
  readonly day: number
  /** Tries before this one. */
  readonly failures: number
}

/** The deliveries of one table that are still to be made. The transaction of a change adds their rows. */
export interface Outbox<D extends Delivery> {
  /**
   * Takes deliveries that are due. Each goes to one caller, and to another one a minute later when that caller called
   * none of the methods below for it.
   */
  claim(limit: number, now: Date): Promise<readonly D[]>
  delivered(delivery: D): Promise<void>
  /** Counts a failure. */
  postpone(delivery: D, dueAt: Date): Promise<void>
  /** Counts the last failure; `record` runs in its transaction. */
  giveUp(delivery: D, record: (tx: Queryable) => Promise<void>): Promise<void>
}

interface OutboxTable {
  /** With its schema. Its columns: day, delivery_id, failures, due_at, outcome. */
  readonly table: string
  /** The first part of the names of its statements. */
  readonly statement: string
  /** The columns that a claim reads besides the key and the failures: an SQL list over `d`. */
  readonly columns: string
  /** An SQL condition: this outbox claims only deliveries of it. */
  readonly only?: string
  /** Columns that an outcome sets to NULL, such as secrets. */
  readonly cleared?: readonly string[]
}

/** Longer than any try takes. */
const LEASE_MS = 60_000

/** A durable outbox in PostgreSQL for any number of replicas. Names and conditions are constants of the program. */
export class PostgresOutbox<D extends Delivery> implements Outbox<D> {
  readonly #database: Database
  readonly #table: OutboxTable
  readonly #settled: string

  constructor(database: Database, table: OutboxTable) {
    this.#database = database
    this.#table = table
    this.#settled = ['due_at = NULL', ...(table.cleared ?? []).map((column) => `${column} = NULL`)].join(', ')
  }

  async claim(limit: number, now: Date): Promise<readonly D[]> {
    const { table, statement, columns, only } = this.#table
    const { rows } = await this.#database.query<D>({
      name: `${statement}.claim`, // the index on due_at, primary key
      text: `UPDATE ${table} d SET due_at = $3
               FROM (SELECT day, delivery_id FROM ${table}
                      WHERE due_at <= $2 ${only === undefined ? '' : `AND ${only}`}
                      ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS due
              WHERE d.day = due.day AND d.delivery_id = due.delivery_id
             RETURNING d.delivery_id AS id, d.day, d.failures, ${columns}`,
      values: [limit, now, new Date(now.getTime() + LEASE_MS)],
    })
    return rows
  }

  // Each of the following changes nothing when another replica, after the lease, came to a result first.

  async delivered({ day, id, failures }: D): Promise<void> {
    const { table, statement } = this.#table
    await this.#database.query({
      name: `${statement}.delivered`, // primary key; also after a later failure: it was delivered
      text: `UPDATE ${table} SET ${this.#settled}, outcome = 'delivered'
              WHERE day = $1 AND delivery_id = $2 AND failures >= $3 AND due_at IS NOT NULL`,
      values: [day, id, failures],
    })
  }

  async postpone({ day, id, failures }: D, dueAt: Date): Promise<void> {
    const { table, statement } = this.#table
    await this.#database.query({
      name: `${statement}.postpone`, // primary key
      text: `UPDATE ${table} SET due_at = $4, failures = failures + 1
              WHERE day = $1 AND delivery_id = $2 AND failures = $3 AND due_at IS NOT NULL`,
      values: [day, id, failures, dueAt],
    })
  }

  async giveUp({ day, id, failures }: D, record: (tx: Queryable) => Promise<void>): Promise<void> {
    const { table, statement } = this.#table
    await this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: `${statement}.give_up`, // primary key
        text: `UPDATE ${table} SET ${this.#settled}, outcome = 'given_up', failures = failures + 1
                WHERE day = $1 AND delivery_id = $2 AND failures = $3 AND due_at IS NOT NULL`,
        values: [day, id, failures],
      })
      if (rowCount === 1) await record(tx)
    })
  }
}

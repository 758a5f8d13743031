import type { Database, Queryable } from '../postgres/pool.ts'

/** The columns that every outbox table has; `day` and `id` are its primary key. */
export interface Delivery {
  readonly id: string
  readonly day: number
  /** Tries before this one. */
  readonly failures: number
  /** The server that it goes to: deliveries of different receivers do not wait for each other. */
  readonly receiver: string
}

/** The deliveries of one table that are still to be made. The transaction of a change adds their rows. */
export interface Outbox<D extends Delivery> {
  /**
   * Takes deliveries that are due. Each goes to one caller, and to another one a minute later when that caller called
   * none of the methods below for it. A receiver has at most 10 deliveries at the same time, those in `busy` counted:
   * the receivers of the deliveries that the caller has in flight.
   */
  claim(limit: number, now: Date, busy?: readonly string[]): Promise<readonly D[]>
  delivered(delivery: D): Promise<void>
  /** Counts a failure. */
  postpone(delivery: D, dueAt: Date): Promise<void>
  /** Counts the last failure; `record` runs in its transaction. */
  giveUp(delivery: D, record: (tx: Queryable) => Promise<void>): Promise<void>
}

interface OutboxTable {
  /** Table with its schema. Its columns: day, delivery_id, failures, due_at, outcome. */
  readonly table: string
  /** The first part of the names of its statements. */
  readonly statement: string
  /** The columns that a claim reads besides the key and the failures: an SQL list over `d`. */
  readonly columns: string
  /** An SQL expression over the columns, never NULL, for `receiver`. An index needs it, then due_at. */
  readonly receiver: string
  /** An SQL condition: this outbox claims only deliveries of it. */
  readonly only?: string
  /** Columns that an outcome sets to NULL, such as secrets. */
  readonly cleared?: readonly string[]
}

/** Longer than any try takes. */
const LEASE_MS = 60_000

/** The number of deliveries that one process makes to one receiver at the same time. */
const MOST_OF_RECEIVER = 10

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

  async claim(limit: number, now: Date, busy: readonly string[] = []): Promise<readonly D[]> {
    const { table, statement, columns, receiver, only = 'true' } = this.#table
    const pending = `FROM ${table} WHERE due_at IS NOT NULL AND ${only}`
    const { rows } = await this.#database.query<D>({
      // The index on receiver and due_at: reads one entry for each receiver, however many deliveries wait for it.
      name: `${statement}.claim`,
      text: `WITH RECURSIVE waiting (name) AS (
               SELECT min(${receiver}) ${pending}
                UNION ALL
               SELECT (SELECT min(${receiver}) ${pending} AND ${receiver} > waiting.name)
                 FROM waiting WHERE waiting.name IS NOT NULL
             ), due AS MATERIALIZED (
               SELECT oldest.day, oldest.delivery_id
                 FROM waiting, LATERAL (
                   SELECT day, delivery_id, due_at ${pending} AND ${receiver} = waiting.name AND due_at <= $2
                    ORDER BY due_at LIMIT $4 - (SELECT count(*) FROM unnest($5::text[]) AS busy WHERE busy = waiting.name)
                      FOR UPDATE SKIP LOCKED) AS oldest
                ORDER BY oldest.due_at LIMIT $1
             )
             UPDATE ${table} d SET due_at = $3 FROM due
              WHERE d.day = due.day AND d.delivery_id = due.delivery_id
             RETURNING d.delivery_id AS id, d.day, d.failures, ${receiver} AS receiver, ${columns}`,
      values: [limit, now, new Date(now.getTime() + LEASE_MS), MOST_OF_RECEIVER, busy],
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

import type { Database, Queryable } from '@signet/postgres/pool'
import type { PartitionPlan } from '../partitions/partition-plan.ts'
import { trail } from './audit-trail.ts'

/** Makes and drops partitions of the tables of schema `grants`. */
export interface PartitionStore {
  /** Brings every table to its plan. Any number of replicas may call it at once; each change happens once. */
  settle(plans: readonly PartitionPlan[]): Promise<void>
}

const PARTITION_LOCK = 7_331_010

export class PostgresPartitionStore implements PartitionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async settle(plans: readonly PartitionPlan[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      // The first replica of a new installation makes several dozen tables while the others wait here.
      await ddl(tx, `SET LOCAL lock_timeout = '60s'`)
      await tx.query({
        name: 'partition.lock',
        text: 'SELECT pg_advisory_xact_lock($1)',
        values: [PARTITION_LOCK],
      })
      // A table in use is waited for briefly: whoever wants it next would stand behind this statement.
      await ddl(tx, `SET LOCAL lock_timeout = '2s'`)
      for (const plan of plans) await settleTable(tx, plan)
      await trail.settlePartitions(tx)
    })
  }
}

async function settleTable(tx: Queryable, { table, first, last }: PartitionPlan): Promise<void> {
  const existing = await partitionsOf(tx, table)
  for (let slot = first; slot <= last; slot += 1) {
    if (existing.has(slot)) continue
    await ddl(
      tx,
      `CREATE TABLE grants.${table}_${slot} PARTITION OF grants.${table} FOR VALUES FROM (${slot}) TO (${slot + 1})`,
    )
  }
  for (const slot of existing) if (slot < first) await ddl(tx, `DROP TABLE grants.${table}_${slot}`)
}

async function partitionsOf(tx: Queryable, table: PartitionPlan['table']): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'partition.list',
    text: `SELECT child.relname AS name FROM pg_inherits
             JOIN pg_class child ON child.oid = inhrelid
            WHERE inhparent = ('grants.' || $1)::regclass`,
    values: [table],
  })
  return new Set(rows.map(({ name }) => Number(name.slice(table.length + 1))))
}

// Names and bounds come from the plan's own numbers, so no value of a request ever reaches this text.
async function ddl(tx: Queryable, text: string): Promise<void> {
  await tx.query({ name: '', text })
}

import { setTimeout as pause } from 'node:timers/promises'
import { DependencyUnavailableError } from '../runtime/dependency-unavailable.ts'
import type { Database, Queryable } from './pool.ts'

/** A table partitioned by ranges; its partitions are the tables `<name>_<suffix>` of the same schema. */
export interface PartitionedTable {
  readonly schema: string
  readonly name: string
}

/** The rows from `from` (included) until `to` (excluded), both as literals of SQL. */
export interface Partition {
  readonly suffix: string
  readonly from: string
  readonly to: string
}

interface Found {
  readonly suffix: string
  readonly state: 'attached' | 'detaching' | 'detached'
}

/** A transaction that holds a lock for longer than this is a long reader. */
const LONG_READER_MS = 500

/**
 * Creates the partitions that do not exist. Reads only the catalog when all exist. Any number of replicas may call it
 * at once. Readers and writers of the table do not wait: ATTACH takes SHARE UPDATE EXCLUSIVE, while CREATE TABLE …
 * PARTITION OF would take ACCESS EXCLUSIVE. A kill leaves all of the call's partitions or none.
 */
export async function createPartitions(
  database: Database,
  table: PartitionedTable,
  partitions: readonly Partition[],
): Promise<void> {
  if ((await missing(database, table, partitions)).length === 0) return
  // One transaction for each table: one that locked two would wait for writers that lock them in another order.
  await database.transaction(
    async (tx) => {
      await run(tx, `SET LOCAL lock_timeout = '60s'`)
      await tx.query({
        name: 'partition.lock_creation',
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`partitions of ${table.schema}.${table.name}`],
      })
      const parent = `${table.schema}.${table.name}`
      for (const { suffix, from, to } of await missing(tx, table, partitions)) {
        // Not new when it was detached and not dropped.
        await run(
          tx,
          `CREATE TABLE IF NOT EXISTS ${parent}_${suffix} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
        )
        await run(
          tx,
          `ALTER TABLE ${parent} ATTACH PARTITION ${parent}_${suffix} FOR VALUES FROM (${from}) TO (${to})`,
        )
      }
    },
    { kind: 'background' },
  )
}

/**
 * Detaches and drops the partitions whose suffix `isOver`. Readers and writers of the table do not wait, and nor does
 * this: a partition in use by a long reader stays for the next call. A partition that a kill left detached is dropped
 * by the next call.
 */
export async function dropPartitions(
  database: Database,
  table: PartitionedTable,
  isOver: (suffix: string) => boolean,
): Promise<void> {
  if (!(await find(database, table)).some(({ suffix }) => isOver(suffix))) return
  // DETACH … CONCURRENTLY runs in no transaction, so another connection holds the lock that one replica at a time has.
  await database.transaction(
    async (tx) => {
      // Without a parameter: a portal that has one stays open with its snapshot, and FINALIZE would wait for it.
      const key = `hashtextextended('old partitions of ${table.schema}.${table.name}', 0)`
      const { rows } = await tx.query<{ locked: boolean }>({
        name: '',
        text: `SELECT pg_try_advisory_xact_lock(${key}) AS locked`,
      })
      if (rows[0]?.locked !== true) return
      for (const found of await find(database, table)) {
        // A table can have one partition that is being detached: the others stay behind it.
        if (isOver(found.suffix) && !(await drop(database, table, found))) return
      }
      // Idle for as long as the other connection works.
    },
    { kind: 'long' },
  )
}

/** False when a reader holds the partition or its table. */
async function drop(database: Database, table: PartitionedTable, { suffix, state }: Found): Promise<boolean> {
  const parent = `${table.schema}.${table.name}`
  const partition = `${parent}_${suffix}`
  if (await hasLongReader(database, [parent, partition])) return false
  try {
    if (state === 'attached')
      await run(database, `ALTER TABLE ${parent} DETACH PARTITION ${partition} CONCURRENTLY`)
    if (state === 'detaching')
      await runBriefly(database, `ALTER TABLE ${parent} DETACH PARTITION ${partition} FINALIZE`)
    await runBriefly(database, `DROP TABLE ${partition}`)
    return true
  } catch (error) {
    if (hasTimedOut(error)) return false
    throw error
  }
}

/**
 * Whether a transaction holds a lock of one of the tables for long. DETACH … CONCURRENTLY would wait for it as long as
 * it lasts, unless the role has a lock_timeout; a connection that sets one may not reach a server behind PgBouncer.
 */
async function hasLongReader(database: Database, tables: readonly string[]): Promise<boolean> {
  const before = await holders(database, tables)
  if (before.size === 0) return false
  await pause(LONG_READER_MS)
  const after = await holders(database, tables)
  return [...before].some((transaction) => after.has(transaction))
}

async function holders(database: Queryable, tables: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ virtualtransaction: string }>({
    name: 'partition.holders',
    text: `SELECT DISTINCT virtualtransaction FROM pg_locks
            WHERE relation = ANY ($1::text[]::regclass[]) AND database = (SELECT oid FROM pg_database
                   WHERE datname = current_database())`,
    values: [tables],
  })
  return new Set(rows.map(({ virtualtransaction }) => virtualtransaction))
}

async function missing(
  database: Queryable,
  table: PartitionedTable,
  partitions: readonly Partition[],
): Promise<readonly Partition[]> {
  const found = await find(database, table)
  const existing = new Set(found.flatMap(({ suffix, state }) => (state === 'detached' ? [] : [suffix])))
  return partitions.filter(({ suffix }) => !existing.has(suffix))
}

async function find(database: Queryable, { schema, name }: PartitionedTable): Promise<readonly Found[]> {
  const { rows } = await database.query<Found>({
    name: 'partition.find',
    text: `SELECT substr(c.relname, length($2) + 2) AS suffix,
                  CASE WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching'
                       ELSE 'attached' END AS state
             FROM pg_class c
             LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
            WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' AND c.relname ~ ('^' || $2 || '_[0-9_]+$')
            ORDER BY i.inhdetachpending IS TRUE DESC, c.relname`,
    values: [schema, name],
  })
  return rows
}

async function runBriefly(database: Database, text: string): Promise<void> {
  await database.transaction(async (tx) => {
    await run(tx, `SET LOCAL lock_timeout = '2s'`)
    await run(tx, text)
  })
}

// Names and bounds come from constants and numbers of the program; no value of a request reaches these texts.
async function run(target: Queryable, text: string): Promise<void> {
  await target.query({ name: '', text })
}

/** Waited too long for a lock, by `lock_timeout` or by `statement_timeout`. */
function hasTimedOut(error: unknown): boolean {
  if (!(error instanceof DependencyUnavailableError)) return false
  const { cause } = error
  return cause instanceof Error && 'code' in cause && ['55P03', '57014'].includes(String(cause.code))
}

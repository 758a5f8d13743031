import type { Queryable } from '@signet/platform/postgres/pool'

/** The conflict of a new record: the same object exists already, a rule makes it impossible, or an object that it refers to is missing. */
export type Conflict =
  | { readonly kind: 'present' }
  | { readonly kind: 'impossible' | 'missing'; readonly reason: string }

/** A row of a conflict check: without a reason and without a missing object the same object exists already. */
export interface ConflictRow {
  /** Counted from 1, as PostgreSQL's WITH ORDINALITY does. */
  readonly place: number
  readonly reason?: string | null
  /** The rule about an object that the record refers to and that is not there. Comes before `reason`. */
  readonly missing?: string | null
}

/** The conflict of each record. Of several rows for one record, the last with a rule counts. */
export function toConflicts(rows: readonly ConflictRow[]): ReadonlyMap<number, Conflict> {
  const conflicts = new Map<number, Conflict>()
  for (const { place, reason = null, missing = null } of rows) {
    if (missing !== null) conflicts.set(place - 1, { kind: 'missing', reason: missing })
    else if (reason !== null) conflicts.set(place - 1, { kind: 'impossible', reason })
    else if (!conflicts.has(place - 1)) conflicts.set(place - 1, { kind: 'present' })
  }
  return conflicts
}

/** Runs a statement over rows that it reads with json_to_recordset($1); does nothing without rows. */
export async function writeRows(
  tx: Queryable,
  statement: { readonly name: string; readonly text: string },
  rows: readonly unknown[],
  ...more: readonly unknown[]
): Promise<void> {
  if (rows.length === 0) return
  await tx.query({ ...statement, values: [JSON.stringify(rows), ...more] })
}

/** The columns of an update that leaves what its rows do not give as it is. `given` lists those of each row that are given. */
export const GIVEN = 'given'

type Row = Readonly<Record<string, unknown>>

/** A row with the names of its columns that are given. Null is given, and takes a value away. */
export function withGiven(row: Row): Row {
  return { ...row, [GIVEN]: Object.keys(row).filter((column) => row[column] !== undefined) }
}

/** The value of a column after an update of the table `t` by the rows `r`: that of the row if it gives one. */
export const orStored = (column: string, given = `r.${GIVEN}`) =>
  `CASE WHEN '${column}' = ANY (${given}) THEN r.${column} ELSE t.${column} END`

/** The assignments of an update of the table `t` by the rows `r`. */
export const setGiven = (columns: readonly string[]) =>
  columns.map((column) => `${column} = ${orStored(column)}`).join(', ')

/** A statement over rows of plain columns, many of them: PostgreSQL reads arrays in a fraction of what JSON takes it. */
export interface ColumnStatement<Column extends string> {
  readonly name: string
  readonly text: string
  readonly columns: Readonly<Record<Column, ColumnType>>
}
export type ColumnType = 'text' | 'boolean' | 'integer' | 'timestamptz'

/** The FROM item of a ColumnStatement: parameters $1 and on are its columns, further values follow. */
export function unnested(columns: Readonly<Record<string, ColumnType>>): string {
  const parameters = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)
  return `unnest(${parameters.join(', ')}) AS r (${Object.keys(columns).join(', ')})`
}

/** Runs a statement over rows that it reads with `unnested`; does nothing without rows. */
export async function writeColumns<Column extends string>(
  tx: Queryable,
  { columns, ...statement }: ColumnStatement<Column>,
  rows: readonly Readonly<Partial<Record<Column, unknown>>>[],
  ...more: readonly unknown[]
): Promise<void> {
  if (rows.length === 0) return
  const arrays = (Object.keys(columns) as Column[]).map((column) =>
    // unnest fills up what is missing with NULL.
    rows.some((row) => row[column] !== undefined) ? rows.map((row) => row[column]) : null,
  )
  await tx.query({ ...statement, values: [...arrays, ...more] })
}

/**
 * Makes the transaction use indexes only: the planner's statistics of a table that an import has begun to
 * fill say that it is empty, and a sequential scan would make each batch slower than the one before. Plans
 * are discarded, and then kept, so that triggers and foreign keys do not plan for every row.
 */
export async function useIndexes(tx: Queryable): Promise<void> {
  await tx.query({ name: 'transfer.discard_plans', text: 'DISCARD PLANS' })
  await tx.query({
    name: 'transfer.use_indexes',
    text: `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                  set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
                  set_config('plan_cache_mode', 'force_generic_plan', true)`,
  })
}

/** Replaces the client secrets of the owners that `writeRows` names by those given: rows of `SecretRow`. */
export function setSecrets(table: 'application_secret' | 'service_user_secret', owner: string) {
  return {
    name: `transfer.${table}.set`, // application_secret_owner, service_user_secret_owner
    text: `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS r (owner_id text, hash text, expires_at timestamptz)),
                kept AS (SELECT owner_id, array_agg(hash) AS hashes FROM given GROUP BY owner_id),
                gone AS (DELETE FROM directory.${table} s USING kept k
                          WHERE s.${owner} = k.owner_id AND s.hash <> ALL (k.hashes))
           INSERT INTO directory.${table} (${owner}, hash, expires_at)
           SELECT owner_id, hash, expires_at FROM given g
            WHERE NOT EXISTS (SELECT FROM directory.${table} s WHERE s.${owner} = g.owner_id AND s.hash = g.hash)`,
  }
}

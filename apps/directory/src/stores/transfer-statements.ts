import type { Queryable } from '@signet/postgres/pool'
import type { Fate } from '../transfer/record-writer.ts'

/** A row of a statement that tells what stands in the way: without a reason the same object is there. */
export interface FateRow {
  /** Counted from 1, as PostgreSQL's WITH ORDINALITY does. */
  readonly place: number
  readonly reason: string | null
}

/** Of several rows for one record a reason wins. */
export function toFates(rows: readonly FateRow[]): ReadonlyMap<number, Fate> {
  const fates = new Map<number, Fate>()
  for (const { place, reason } of rows) {
    if (reason !== null) fates.set(place - 1, { fate: 'impossible', reason })
    else if (!fates.has(place - 1)) fates.set(place - 1, { fate: 'present' })
  }
  return fates
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

/**
 * From now on in this transaction only indexes are used: what the planner knows of a table that an import has just begun
 * to fill is that it is empty, and a scan of it would make every batch slower than the one before. Plans are made anew, and
 * then kept, so that triggers and foreign keys do not plan for every row.
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

import type { Queryable, Statement } from '@signet/platform/postgres/pool'

/** Deleted in half a second on an idle machine. */
export const MOST_ROWS_OF_A_STATEMENT = 5_000

/**
 * Repeats a DELETE of at most `MOST_ROWS_OF_A_STATEMENT` rows until it finds none. PostgreSQL limits the time of a statement,
 * and one cascade over any number of rows would exceed it whenever it is repeated.
 */
export async function deleteInParts(tx: Queryable, statement: Statement): Promise<void> {
  while ((await tx.query(statement)).rowCount > 0);
}

import type { Queryable } from '@signet/platform/postgres/pool'

/**
 * The generation of the database: 0, and after a restore from a backup a higher number (`signet-migrate restored`). What
 * was made under a lower one has ended.
 */
export interface Generation {
  current(): number
  /** Reads it again. Rejects when the database is away; `current` then keeps its value. */
  refresh(): Promise<void>
}

/** Reads the generation. Rejects when the database is away. */
export async function openGeneration(database: Queryable): Promise<Generation> {
  let value = await readGeneration(database)
  return {
    current: () => value,
    async refresh() {
      value = await readGeneration(database)
    },
  }
}

async function readGeneration(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ value: number }>({
    name: 'generation.read', // one row
    text: 'SELECT value FROM grants.generation',
  })
  if (rows[0] === undefined) throw new Error('grants.generation has no row')
  return rows[0].value
}

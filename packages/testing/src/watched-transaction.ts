import type { Queryable, Statement, Transaction } from '@signet/platform/postgres/pool'

/**
 * A transaction whose statements go through `watched`, those of `commit` one after the other. It commits through `tx`; without
 * one the caller of the test ends the transaction.
 */
export function watchedTransaction(watched: Queryable, tx?: Transaction): Transaction {
  return {
    query: (statement) => watched.query(statement),
    async commit<R>(...statements: readonly Statement[]) {
      const results = []
      for (const statement of statements) results.push(await watched.query<R>(statement))
      await tx?.commit()
      return results
    },
  }
}

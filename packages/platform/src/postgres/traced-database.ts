import { type SpanDescription, type Tracing, traceCall } from '../tracing/tracing.ts'
import type { Database, Queryable, Statement, Transaction } from './pool.ts'

/** Traces what belongs to a trace: statements by their names, never their text or values, and transactions. */
export function tracedDatabase(database: Database, tracing: Tracing): Database {
  const traced = (target: Queryable): Queryable => ({
    query: <R>(statement: Statement) =>
      traceCall(tracing, describeStatement(statement), () => target.query<R>(statement)),
  })
  const tracedTransaction = (tx: Transaction): Transaction => ({
    ...traced(tx),
    // Sent together, so the span of each lasts until all have their responses.
    async commit<R>(...statements: readonly Statement[]) {
      const all = tx.commit<R>(...statements)
      await Promise.all(
        statements.map((statement) => traceCall(tracing, describeStatement(statement), () => all)),
      )
      return all
    },
  })
  return {
    ...traced(database),
    transaction: (work, options) =>
      traceCall(tracing, describe('transaction', { 'db.operation.name': 'transaction' }), () =>
        database.transaction((tx) => work(tracedTransaction(tx)), options),
      ),
    close: () => database.close(),
  }
}

/** A statement whose text is made for one use has no name; the partitions that others name differ from week to week. */
function describeStatement({ name }: Statement): SpanDescription {
  const summary = name.replace(/(_\d+)+$/, '') || 'unnamed'
  return describe(summary, { 'db.query.summary': summary })
}

function describe(name: string, attributes: Readonly<Record<string, string>>): SpanDescription {
  return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', ...attributes } }
}

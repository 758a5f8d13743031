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
    commit: <R>(...statements: readonly Statement[]) =>
      traceCall(tracing, describeCommit(statements), () => tx.commit<R>(...statements)),
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

function describeStatement(statement: Statement): SpanDescription {
  const summary = summaryOf(statement)
  return describe(summary, { 'db.query.summary': summary })
}

function describeCommit(statements: readonly Statement[]): SpanDescription {
  return describe('commit', { 'db.query.summary': statements.map(summaryOf).join(' ') })
}

/** A statement whose text is made for one use has no name; the partition that others name differs from week to week. */
function summaryOf({ name }: Statement): string {
  return name.replace(/_\d+$/, '') || 'unnamed'
}

function describe(name: string, attributes: Readonly<Record<string, string>>): SpanDescription {
  return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', ...attributes } }
}

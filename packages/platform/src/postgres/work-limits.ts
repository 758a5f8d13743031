/**
 * How long one statement of a kind of work may take, in milliseconds; 0 is no limit. `queryMs` is measured by this process,
 * which then closes the connection: it is what ends a wait for a server that went away without closing its connections.
 * `statementMs` and `idleInTransactionMs` are PostgreSQL's `statement_timeout` and
 * `idle_in_transaction_session_timeout`, which end the work on the server.
 */
export interface WorkLimits {
  readonly queryMs: number
  readonly statementMs: number
  readonly idleInTransactionMs: number
}

/** `request`: an HTTP or gRPC caller waits. `background`: a timer's round, a batch. `long`: an export, a migration. */
export type WorkKind = 'request' | 'background' | 'long'

export const WORK_LIMITS: Readonly<Record<WorkKind, WorkLimits>> = {
  request: { queryMs: 5_000, statementMs: 4_500, idleInTransactionMs: 30_000 },
  background: { queryMs: 60_000, statementMs: 55_000, idleInTransactionMs: 60_000 },
  // TCP keepalive notices a server that is gone; an export waits for its reader between two statements.
  long: { queryMs: 0, statementMs: 0, idleInTransactionMs: 3_600_000 },
}

/**
 * Statements that give a role the limits of requests. They are settings of the role because PgBouncer in transaction
 * mode refuses them as parameters of a connection and does not keep what `SET` changes.
 */
export function roleLimits(role: string): readonly string[] {
  const { statementMs, idleInTransactionMs } = WORK_LIMITS.request
  return [
    `ALTER ROLE ${role} SET statement_timeout = ${statementMs}`,
    `ALTER ROLE ${role} SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  ]
}

/** The part of `BEGIN` that sets other limits than the role's. */
export function limitsOfTransaction(kind: WorkKind): string {
  if (kind === 'request') return ''
  const { statementMs, idleInTransactionMs } = WORK_LIMITS[kind]
  return `; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

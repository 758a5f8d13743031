import pg from 'pg'
import { type Connection, createConnections } from './connections.ts'
import { createLogins } from './logins.ts'
import { ServerInRecoveryError, translated, withTimeout } from './unavailable.ts'

/**
 * SQL statement. `name` identifies it in `pg_stat_statements` comments and, when named statements are on, as a
 * prepared statement.
 */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values?: readonly unknown[]
}

export interface Rows<R> {
  readonly rows: readonly R[]
  readonly rowCount: number
}

export interface Queryable {
  query<R = Record<string, unknown>>(statement: Statement): Promise<Rows<R>>
}

/** A transaction. Statements that are sent without waiting for one another share a round trip. */
export interface Transaction extends Queryable {
  /**
   * Sends statements and COMMIT together, and BEGIN with them when nothing was sent before. It is the last call of a
   * transaction. Returns what each statement returned; rejects, and nothing is committed, when one of them fails.
   */
  commit<R = Record<string, unknown>>(...statements: readonly Statement[]): Promise<readonly Rows<R>[]>
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  readonly readOnly?: boolean
  /** How long its statements may take; `request` when left out. */
  readonly kind?: WorkKind
}

/**
 * A pool of connections that keep no state between statements, so that PgBouncer in transaction mode may stand in
 * between. A server that is away, full, read-only or in recovery, a statement that takes more than 5 seconds and a lock
 * waited for too long reject with DependencyUnavailableError.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. BEGIN is sent with the first
   * statement. The time-out of `kind` is for each statement.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}

/** How many connections of a pool there are, and how many callers wait for one. */
export interface PoolUse {
  readonly used: number
  readonly idle: number
  readonly waiting: number
}

/** A database whose connections can be counted and whose silence can be measured. */
export interface Pool extends Database {
  use(): PoolUse
  /** Milliseconds since a statement last succeeded, or since the pool was made. */
  silentMs(): number
  /**
   * Runs `work` on one connection in no transaction, for statements that none may contain, as CREATE INDEX CONCURRENTLY. The
   * connection is closed afterwards, which ends its advisory locks and takes its role back.
   */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>
}

export interface PoolOptions {
  /** Read for each new connection, so that a password that changed is used without a restart; see `createLogins`. */
  readonly url: { reveal(): string }
  readonly applicationName: string
  readonly max?: number
  /** Off behind poolers that cannot keep prepared statements. */
  readonly namedStatements?: boolean
  /** Kind of statements outside a transaction, and of transactions that name none; by default `request`. */
  readonly kind?: WorkKind
  /** Called with errors of idle connections, which have no caller to receive them. */
  readonly onIdleError?: (error: Error) => void
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed?: () => number
}

const CONNECT_MS = 5_000
/** After so long without traffic TCP asks whether the other side still is there; Node ends the connection 10 s later. */
const KEEPALIVE_MS = 10_000

// 64-bit integers of this schema (epochs, counters, seconds) stay far below 2^53; a string would only invite mistakes.
const INT8_OID = 20
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** Opens a pool; connections are made on demand, so an unreachable server fails the first query, not this call. */
export function createPool(options: PoolOptions): Pool {
  const { url, namedStatements = true, kind = 'request', elapsed = () => performance.now() } = options
  const logins = createLogins(url, elapsed)
  const pool = new pg.Pool({
    Client: logins.Client,
    application_name: options.applicationName,
    max: options.max ?? 10,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    // Statements that name a partition stay prepared for as long as a connection lives.
    maxLifetimeSeconds: 3_600,
    types,
    // A query is sent at once, and not when the one before has its answer.
    pipeline: true,
    onConnect: requirePrimary,
  })
  let closing = false
  pool.on('error', (error) => {
    // Sockets of a closed pool may outlive it for a few milliseconds; their errors are ignored.
    if (!closing) options.onIdleError?.(error)
  })
  let succeededAt = elapsed()
  const succeeded = () => {
    succeededAt = elapsed()
  }
  const connections = createConnections(() => logins.connect(pool, CONNECT_MS))

  async function run<R>(connection: Connection, { name, text, values = [] }: Statement, work: WorkKind) {
    const result = await connection.send({
      ...(namedStatements && { name }),
      text,
      values: values.map(asParameter),
      query_timeout: WORK_LIMITS[work].queryMs,
    })
    succeeded()
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 }
  }

  const sending: Sending = { run, kind, succeeded }

  return {
    query: <R>(statement: Statement) =>
      connections.use((connection) => run<R>(connection, statement, kind)).catch(rethrow),
    transaction: (work, transactionOptions) =>
      connections.use((connection) => transact(connection, sending, work, transactionOptions)).catch(rethrow),
    use: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    silentMs: () => elapsed() - succeededAt,
    session: (work) =>
      connections
        .use((connection) =>
          work({ query: (statement) => run(connection, statement, kind) }).finally(() =>
            connection.abandon(new Error('the settings of its session are not those of the pool')),
          ),
        )
        .catch(rethrow),
    close: () => {
      closing = true
      return pool.end()
    },
  }
}

/** How a pool sends statements. */
interface Sending {
  readonly run: <R>(connection: Connection, statement: Statement, work: WorkKind) => Promise<Rows<R>>
  /** Kind of a transaction that names none. */
  readonly kind: WorkKind
  /** Called after each statement that succeeded. */
  readonly succeeded: () => void
}

/** Runs `work` between BEGIN and COMMIT on one connection; rolls back when it throws. */
async function transact<T>(
  connection: Connection,
  { run, kind, succeeded }: Sending,
  work: (tx: Transaction) => Promise<T>,
  { isolation = 'read committed', readOnly = false, kind: own = kind }: TransactionOptions = {},
): Promise<T> {
  const control = (text: string, work: WorkKind = 'request') =>
    connection.send({ text, query_timeout: WORK_LIMITS[work].queryMs })
  const begin = `BEGIN ISOLATION LEVEL ${isolation}${readOnly ? ' READ ONLY' : ''}`
  const begun = control(begin + limitsOfTransaction(own))
  // Its failure is that of the statements behind it.
  begun.catch(() => undefined)
  let committed: Promise<readonly [unknown, { readonly command: string }]> | undefined
  const commit = async () => {
    committed ??= Promise.all([begun, control('COMMIT', own)])
    const [, { command }] = await committed
    // The answer to COMMIT after a statement that failed. An error that `work` did not pass on would be taken for success.
    if (command === 'ROLLBACK')
      throw new Error('a statement of the transaction failed, and nothing was committed')
  }
  const query = <R>(statement: Statement) => run<R>(connection, statement, own)
  try {
    const result = await work({
      query,
      async commit<R>(...statements: readonly Statement[]) {
        const [rows] = await Promise.all([Promise.all(statements.map((each) => query<R>(each))), commit()])
        return rows
      },
    })
    await commit()
    succeeded()
    return result
  } catch (error) {
    await begun.catch(() => undefined)
    // COMMIT after a statement that failed rolls back.
    const isOver = await committed?.then(
      () => true,
      () => false,
    )
    // A connection that cannot even roll back must not return to the pool with a transaction open.
    if (isOver !== true && !connection.isBroken())
      await control('ROLLBACK').catch((problem: Error) => connection.abandon(problem))
    throw error
  }
}

function rethrow(error: unknown): never {
  throw translated(error)
}

const asParameter = (value: unknown) => (Array.isArray(value) ? (arrayLiteral(value) ?? value) : value)

/** Refuses a new connection to a server that follows another one; rejects with ServerInRecoveryError. */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const query = { text: 'SELECT pg_is_in_recovery() AS follows', query_timeout: CONNECT_MS }
  const { rows } = await client.query(query).catch((error: unknown) => {
    throw withTimeout(error)
  })
  if (rows[0]?.follows === true)
    throw new ServerInRecoveryError('the server is in recovery; the address has to lead to the primary')
}

const QUOTED = /["\\]/g
const MAY_NEED_ESCAPES = /["\\]/

/**
 * The text by which PostgreSQL reads an array of any type (PostgreSQL manual, section 8.15.2), several times faster than
 * the driver makes one. Undefined for an array with other members than strings, numbers, booleans and null.
 */
function arrayLiteral(members: readonly unknown[]): string | undefined {
  let text = '{'
  for (const member of members) {
    if (text.length > 1) text += ','
    if (typeof member === 'string') {
      text += `"${MAY_NEED_ESCAPES.test(member) ? member.replace(QUOTED, '\\$&') : member}"`
    } else if (member === null || member === undefined) text += 'NULL'
    else if (typeof member === 'number' || typeof member === 'boolean') text += String(member)
    else return undefined
  }
  return `${text}}`
}

/**
 * How long one statement of a kind of work may take, in milliseconds; 0 is no limit. `queryMs` is measured by this process,
 * which then closes the connection: it is what ends a wait for a server that went away without closing its connections.
 * `statementMs` and `idleInTransactionMs` are PostgreSQL's `statement_timeout` and
 * `idle_in_transaction_session_timeout`, which end the work on the server.
 */
interface WorkLimits {
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

/** The part of `BEGIN` that sets other limits than the role's. */
function limitsOfTransaction(kind: WorkKind): string {
  if (kind === 'request') return ''
  const { statementMs, idleInTransactionMs } = WORK_LIMITS[kind]
  return `; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

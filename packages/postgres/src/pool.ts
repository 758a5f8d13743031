import pg from 'pg'
import { arrayLiteral } from './array-literal.ts'
import { translated } from './unavailable.ts'

/** One SQL statement. `name` identifies it in `pg_stat_statements` comments and, when named statements are on, as a prepared statement. */
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

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  readonly readOnly?: boolean
}

/**
 * A pool of connections that keep no state between statements, so that PgBouncer in transaction mode may stand in
 * between. A server that is away, or a lock waited for too long, rejects with DependencyUnavailableError.
 */
export interface Database extends Queryable {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}

/** How many connections of a pool there are, and how many callers wait for one. */
export interface PoolUse {
  readonly used: number
  readonly idle: number
  readonly waiting: number
}

/** A database whose connections can be counted. */
export interface Pool extends Database {
  use(): PoolUse
}

export interface PoolOptions {
  readonly url: { reveal(): string }
  readonly applicationName: string
  readonly max?: number
  /** Off behind poolers that cannot keep prepared statements. */
  readonly namedStatements?: boolean
  /** Called with errors of idle connections, which have no caller to receive them. */
  readonly onIdleError?: (error: Error) => void
}

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
  const pool = new pg.Pool({
    connectionString: options.url.reveal(),
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // Statements that name a partition stay prepared for as long as a connection lives.
    maxLifetimeSeconds: 3_600,
    types,
  })
  let closing = false
  pool.on('error', (error) => {
    // Sockets of a closed pool may outlive it by a moment; what happens to them concerns nobody.
    if (!closing) options.onIdleError?.(error)
  })
  const named = options.namedStatements ?? true
  const run = queryWith(named)
  return {
    query: <R>(statement: Statement) => run<R>(pool, statement).catch(rethrow),
    transaction: (work, transactionOptions) => transact(pool, run, work, transactionOptions).catch(rethrow),
    use: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => {
      closing = true
      return pool.end()
    },
  }
}

function rethrow(error: unknown): never {
  throw translated(error)
}

const asParameter = (value: unknown) => (Array.isArray(value) ? (arrayLiteral(value) ?? value) : value)

type Run = <R>(target: pg.Pool | pg.PoolClient, statement: Statement) => Promise<Rows<R>>

function queryWith(named: boolean): Run {
  return async <R>(target: pg.Pool | pg.PoolClient, statement: Statement) => {
    const values = (statement.values ?? []).map(asParameter)
    const result = await target.query(
      named ? { name: statement.name, text: statement.text, values } : { text: statement.text, values },
    )
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 }
  }
}

async function transact<T>(
  pool: pg.Pool,
  run: Run,
  work: (tx: Queryable) => Promise<T>,
  { isolation = 'read committed', readOnly = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // The pool listens only to connections that it holds; an error nobody listens to would end the process.
  const lost = (error: Error) => {
    broken = error
  }
  client.on('error', lost)
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}${readOnly ? ' READ ONLY' : ''}`)
    const result = await work({ query: (statement) => run(client, statement) })
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection that cannot even roll back must not return to the pool with a transaction open.
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    client.off('error', lost)
    client.release(broken)
  }
}

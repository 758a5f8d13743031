import type pg from 'pg'
import { isOfConnection, QueryTimeoutError, withTimeout } from './unavailable.ts'

type Query = pg.QueryConfig & { readonly query_timeout: number }

/** A connection for one caller. */
export interface Connection {
  /** Rejects with QueryTimeoutError after `query_timeout` milliseconds. */
  send(query: Query): Promise<pg.QueryResult>
  isBroken(): boolean
  /** Has the connection closed when its caller is done, instead of reused. */
  abandon(problem: Error): void
}

/**
 * Has the queries of one turn of the event loop written together: one system call, and the server wakes up once for all of them.
 * The statements of a transaction are such queries (docs/decisions/0078).
 */
function writeTogether(client: pg.PoolClient): void {
  const { stream } = (client as pg.PoolClient & { readonly connection: pg.Connection }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Lends connections of a pool. After a time-out no connection is lent again that is as old: the server that did not
 * respond on one of them is unlikely to respond on the others, and each would cost a request its time-out.
 */
export function createConnections(connect: () => Promise<pg.PoolClient>) {
  let timeouts = 0
  const madeAfter = new WeakMap<pg.PoolClient, number>()

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await connect()
      // Another may have waited for this connection, which is new then.
      if (!madeAfter.has(client)) madeAfter.set(client, timeouts)
      if (madeAfter.get(client) === timeouts) return client
      client.release(true)
    }
  }

  return {
    async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      const client = await acquire()
      let broken: Error | undefined
      // The pool listens only to connections that it holds; an error without a listener would end the process.
      const abandon = (problem: Error) => {
        broken ??= problem
      }
      client.on('error', abandon)
      try {
        return await work({
          isBroken: () => broken !== undefined,
          abandon,
          async send(query) {
            writeTogether(client)
            try {
              return await client.query(query)
            } catch (cause) {
              const error = withTimeout(cause)
              if (error instanceof QueryTimeoutError) timeouts += 1
              if (isOfConnection(error)) abandon(error as Error)
              throw error
            }
          },
        })
      } finally {
        client.off('error', abandon)
        client.release(broken)
      }
    },
  }
}

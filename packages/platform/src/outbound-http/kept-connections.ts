import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'

interface Options {
  /** Checks the addresses of every connection that is opened. */
  readonly lookup: LookupFunction
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly limits?: Partial<typeof LIMITS> | undefined
}

const LIMITS = {
  /** Time without a call after which a connection is closed. A server that announces a shorter one is followed. */
  idleMs: 15_000,
  /** A connection that is older is closed after its call, so that a name is looked up again. */
  ageMs: 60_000,
  /** Connections without a call to one origin. */
  perOrigin: 5,
  /** Connections without a call; the one that waits longest gives its place to the next. */
  total: 100,
}

export type KeptConnectionLimits = Partial<typeof LIMITS>

/** Agents that keep connections for the next call to the same origin. */
export interface KeptConnections {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  /** Closes every connection. */
  close(): void
}

/**
 * Keeps connections whose call has ended. A connection leads to the address that was checked when it was opened; its name
 * is looked up for the next one. TLS sessions are not resumed, so that each connection verifies the certificate. Node.js closes a connection on which
 * a server sends something without a call.
 */
export function createKeptConnections({ lookup, elapsed, limits: given }: Options): KeptConnections {
  const limits = { ...LIMITS, ...given }
  const options = { keepAlive: true, lookup, timeout: limits.idleMs, maxFreeSockets: limits.perOrigin }
  const http = new HttpAgent(options)
  const https = new HttpsAgent({ ...options, maxCachedSessions: 0 })
  const openedAt = new WeakMap<Duplex, number>()
  /** Connections without a call, the longest waiting one first. */
  const free = new Set<Duplex>()

  function keep(connection: Duplex): boolean {
    if (elapsed() - (openedAt.get(connection) ?? 0) >= limits.ageMs) return false
    const [longest] = free
    if (free.size >= limits.total) longest?.destroy()
    free.add(connection)
    return true
  }

  const prepare = (agent: HttpAgent, { prototype }: { readonly prototype: HttpAgent }) => {
    agent.createConnection = (to: ClientRequestArgs) => {
      const connection = prototype.createConnection.call(agent, to)
      if (!connection) return connection
      openedAt.set(connection, elapsed())
      return connection.once('close', () => free.delete(connection))
    }
    // Node.js reads the result, which its types do not have: false closes the connection.
    agent.keepSocketAlive = (connection: Duplex): boolean => {
      const mayBeKept: unknown = prototype.keepSocketAlive.call(agent, connection)
      return mayBeKept !== false && keep(connection)
    }
    agent.reuseSocket = (connection, request) => {
      free.delete(connection)
      prototype.reuseSocket.call(agent, connection, request)
    }
  }
  prepare(http, HttpAgent)
  prepare(https, HttpsAgent)
  return {
    http,
    https,
    close() {
      http.destroy()
      https.destroy()
    },
  }
}

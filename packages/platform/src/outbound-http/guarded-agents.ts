import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type BlockList, isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressPolicy } from './address-policy.ts'
import { guardedLookup, type Resolve, refusal, systemResolve } from './guarded-lookup.ts'
import { OutboundError } from './outbound-error.ts'

interface GuardedAgentsOptions {
  /** Networks beside the public Internet that may be called. */
  readonly allow: BlockList
  /** Nothing moved on a connection for so long, at most twice as long: it is cut with OutboundError `timed_out`. */
  readonly idleMs: number
  readonly resolve?: Resolve | undefined
}

/** Agents for a client that makes its own requests; every connection they make goes through the address rules. */
export interface GuardedAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  /** Closes every connection. */
  close(): void
}

export function createGuardedAgents({
  allow,
  idleMs,
  resolve = systemResolve,
}: GuardedAgentsOptions): GuardedAgents {
  const mayCall = addressPolicy(allow)
  const options = { keepAlive: false, lookup: guardedLookup(mayCall, resolve) }
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)

  type Connect = (to: ClientRequestArgs) => Duplex | null | undefined
  const guarded =
    (connect: Connect): Connect =>
    (to) => {
      // An address is connected to without a lookup.
      const host = (to.host ?? '').replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !mayCall(host)) throw refusal()
      const connection = connect(to)
      if (connection instanceof Socket) cutWhenIdle(connection, idleMs)
      return connection
    }
  http.createConnection = guarded((to) => HttpAgent.prototype.createConnection.call(http, to))
  https.createConnection = guarded((to) => HttpsAgent.prototype.createConnection.call(https, to))

  return {
    http,
    https,
    close() {
      http.destroy()
      https.destroy()
    },
  }
}

/** Not by the socket's own time-out, which clients and servers set as they like. */
function cutWhenIdle(socket: Socket, idleMs: number): void {
  let moved = -1
  const watch = setInterval(() => {
    const total = socket.bytesRead + socket.bytesWritten
    if (total === moved) socket.destroy(idleError(idleMs))
    moved = total
  }, idleMs)
  socket.once('close', () => clearInterval(watch))
}

/** With the code by which clients know that the same may succeed when it is repeated. */
function idleError(idleMs: number): OutboundError {
  const message = `nothing moved on the connection for ${idleMs} ms`
  return Object.assign(new OutboundError(message, { reason: 'timed_out' }), { code: 'ETIMEDOUT' })
}

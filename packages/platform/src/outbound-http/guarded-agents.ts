import { type LookupAddress, lookup } from 'node:dns'
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type BlockList, isIP, type LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressPolicy, type MayCall } from './address-policy.ts'

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

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The resolver of the machine itself: its hosts file and its name servers. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * A lookup for `net.connect` that leaves only addresses that may be called. The connection is made to one of those,
 * without asking a second time: a name that has changed meanwhile (DNS rebinding) changes nothing.
 */
export function guardedLookup(mayCall: MayCall, resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const permitted = addresses.filter(({ address }) => mayCall(address))
        const [first] = permitted
        if (first === undefined) callback(refusal(), '')
        else if (all) callback(null, permitted)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

export function refusal(): OutboundError {
  return new OutboundError('the host has no address that may be called; see SIGNET_OUTBOUND_ALLOW', {
    reason: 'address_refused',
  })
}

/** Why a call got no answer. */
type OutboundFailure = 'url_invalid' | 'address_refused' | 'timed_out' | 'connection_failed' | 'too_long'

/** A call that got no answer. The message is for the log; it names no address that was refused. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundFailure

  constructor(message: string, { reason, cause }: { reason: OutboundFailure; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}

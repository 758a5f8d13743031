import { type LookupAddress, lookup } from 'node:dns'
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type BlockList, isIP, type LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAddressPolicy, type MayCall } from './address-policy.ts'

interface GuardedAgentsOptions {
  /** Networks beside the public Internet that may be called. */
  readonly allow: BlockList
  /** A connection without traffic is closed after one to two of these periods, with OutboundError `timed_out`. */
  readonly idleMs: number
  readonly resolve?: Resolve | undefined
}

/** Agents for a client that makes its own requests. The address rules apply to every connection. */
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
  const mayCall = createAddressPolicy(allow)
  const options = { keepAlive: false, lookup: createGuardedLookup(mayCall, resolve) }
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)

  type Connect = (to: ClientRequestArgs) => Duplex | null | undefined
  const guarded =
    (connect: Connect): Connect =>
    (to) => {
      // Node.js looks up no address, so the lookup does not check it.
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

/** Does not use the time-out of the socket, because clients change it. */
function cutWhenIdle(socket: Socket, idleMs: number): void {
  let moved = -1
  const watch = setInterval(() => {
    const total = socket.bytesRead + socket.bytesWritten
    if (total === moved) socket.destroy(idleError(idleMs))
    moved = total
  }, idleMs)
  socket.once('close', () => clearInterval(watch))
}

/** Clients repeat a request after an error with this code. */
function idleError(idleMs: number): OutboundError {
  const message = `nothing moved on the connection for ${idleMs} ms`
  return Object.assign(new OutboundError(message, { reason: 'timed_out' }), { code: 'ETIMEDOUT' })
}

/** Returns every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The resolver of the operating system: its hosts file and its name servers. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * A lookup for `net.connect` that returns only addresses that may be called. The socket connects to one of them without a second
 * lookup, so a name that changes meanwhile (DNS rebinding) has no effect.
 */
export function createGuardedLookup(mayCall: MayCall, resolve: Resolve): LookupFunction {
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

/** The reason why a call got no response. */
type OutboundFailure = 'url_invalid' | 'address_refused' | 'timed_out' | 'connection_failed' | 'too_long'

/** A call that got no response. The message is for the log; it names no address that was refused. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundFailure

  constructor(message: string, { reason, cause }: { reason: OutboundFailure; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}

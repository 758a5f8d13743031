import { type BlockList, connect, isIP, type Socket } from 'node:net'
import { createAddressPolicy } from './address-policy.ts'
import { createGuardedLookup, OutboundError, type Resolve, refusal, systemResolve } from './guarded-agents.ts'

interface Options {
  /** Networks beside the public Internet that may be called. */
  readonly allow: BlockList
  readonly resolve?: Resolve
}

interface Target {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** Ends the attempt, and later the connection. */
  readonly signal: AbortSignal
}

/** Opens a connection to a server that speaks another protocol than HTTP. Rejects with OutboundError. */
export type GuardedConnect = (target: Target) => Promise<Socket>

/** Connects under the rules of every outbound call: the address that was checked is the one that is connected to. */
export function createGuardedConnect({ allow, resolve = systemResolve }: Options): GuardedConnect {
  const mayCall = createAddressPolicy(allow)
  const lookup = createGuardedLookup(mayCall, resolve)
  return async ({ host, port, signal }) => {
    // An address is connected to without a lookup.
    if (isIP(host) !== 0 && !mayCall(host)) throw refusal()
    return new Promise((settle, reject) => {
      const socket = connect({ host, port, lookup, signal })
      socket.once('error', (error) => reject(failure(error, signal)))
      socket.once('connect', () => {
        // Later errors close the connection, which its user notices.
        socket.on('error', () => undefined)
        settle(socket)
      })
    })
  }
}

function failure(cause: unknown, signal: AbortSignal): OutboundError {
  if (cause instanceof OutboundError) return cause
  if (signal.aborted) return new OutboundError('no connection in time', { reason: 'timed_out', cause })
  return new OutboundError('no connection', { reason: 'connection_failed', cause })
}

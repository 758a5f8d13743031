import { isIPv6 } from 'node:net'
import { type Client, connectivityState } from '@grpc/grpc-js'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { RpcError } from './error.ts'

export interface ConnectionWait {
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Resolves when the client has a connection, at once while it has one; also after `waitMs` in which no attempt
 * succeeded, for a call that is made then fails at once and says why. Nothing has been sent until it resolves. Rejects
 * with UNAVAILABLE when an attempt to connect is still undecided after `waitMs`, with CANCELLED when the signal aborts.
 *
 * grpc-js has `waitForReady` for calls, but that waits until the deadline of the call: a dead callee would cost all of it.
 */
export async function awaitConnection(client: Client, { waitMs, signal }: ConnectionWait): Promise<void> {
  const state = () => client.getChannel().getConnectivityState(false)
  if (state() === connectivityState.READY) return
  await new Promise<void>((resolve, reject) => {
    const cancel = () => reject(new RpcError('CANCELLED', 'the caller gave up before there was a connection'))
    if (signal?.aborted) return cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    client.waitForReady(Date.now() + waitMs, (error) => {
      signal?.removeEventListener('abort', cancel)
      if (error === undefined || state() === connectivityState.TRANSIENT_FAILURE) resolve()
      else reject(new RpcError('UNAVAILABLE', `no connection within ${waitMs} ms`, { cause: error }))
    })
  })
}

/** Names a caller where there is no certificate to prove it: on loopback only. */
export const CALLER_HEADER = 'signet-caller'
/** Joins the log lines of one request across services. */
export const REQUEST_ID_HEADER = 'x-request-id'
/** W3C Trace Context: the span of the caller that the callee's is below. */
export const TRACE_HEADER = 'traceparent'
/** Tells clients not to repeat a call (gRFC A6): stands in the trailers of every error that a replica responds with. */
export const NO_REPETITION_HEADER = 'grpc-retry-pushback-ms'

/** Whether what is sent there stays on this machine; takes `::1` with and without brackets. */
export function isLoopback(host: string): boolean {
  return host === '::1' || isLoopbackHost(host)
}

/** The host of each `host:port` of an address. */
export function hostsOf(address: string): readonly string[] {
  return address.split(',').map((entry) => entry.slice(0, entry.lastIndexOf(':')))
}

/**
 * The target for grpc-js: a name is resolved through DNS, with all its addresses; several IP addresses are used as
 * they are.
 */
export function grpcTarget(address: string): string {
  if (!address.includes(',')) return `dns:///${address}`
  const [first = ''] = hostsOf(address)
  return `${isIPv6(first.replace(/[[\]]/g, '')) ? 'ipv6' : 'ipv4'}:${address}`
}

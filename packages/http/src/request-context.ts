import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP, type Socket } from 'node:net'
import type { CertificateSource } from '@signet/platform/config/mutual-tls-settings'
import { wasAskedForCertificate } from '@signet/platform/process/mutual-tls-listener'
import type { HeaderList } from './endpoint.ts'

interface RequestContext {
  readonly requestId: string
  readonly trustedProxies: BlockList
  /** Absent where certificates of clients are off. */
  readonly clientCertificates?: CertificateSource | undefined
  /** The headers of every response of the app. */
  readonly securityHeaders: HeaderList
  /** The `client_id` that the request states, proven or not. */
  clientId?: string
  /** The client of the request, once it was found. */
  knownClientId?: string
  /** The origin whose pages may not read the response, if it is one. */
  refusedOrigin?: string
}

const CONTEXT = Symbol('signet request context')

interface ContextCarrier {
  [CONTEXT]?: RequestContext
}

/** The app's data about a request before any route sees it; throws for a request that never passed the app. */
export function requestContext(req: IncomingMessage & ContextCarrier): RequestContext {
  const context = req[CONTEXT]
  if (context === undefined) throw new Error('the request did not come through createHttpApp')
  return context
}

export function setRequestContext(req: IncomingMessage & ContextCarrier, context: RequestContext): void {
  req[CONTEXT] = context
}

/** Names the client in the log line of a refusal. */
export function setClientId(req: IncomingMessage, clientId: string): void {
  requestContext(req).clientId = clientId
}

/** Names this request in logs, in calls to other services and in the `X-Request-Id` of its answer. */
export function requestId(req: IncomingMessage): string {
  return requestContext(req).requestId
}

/** The headers of the response to this request, whichever body it has. */
export function headersOf(req: IncomingMessage): HeaderList {
  const { requestId, securityHeaders } = requestContext(req)
  return ['X-Request-Id', requestId, ...securityHeaders]
}

const PEER = Symbol('signet peer address')

interface PeerCarrier {
  [PEER]?: string
}

/**
 * The address of the caller: the last hop outside the trusted proxies. `X-Forwarded-For` counts only as far as
 * trusted proxies wrote it, so a client cannot choose its own address.
 */
export function clientAddress(req: IncomingMessage): string {
  const peer = peerAddress(req.socket)
  const forwardedFor = req.headers['x-forwarded-for']
  if (forwardedFor === undefined || wasAskedForCertificate(req.socket)) return peer
  return lastUntrustedHop(peer, forwardedFor, requestContext(req).trustedProxies)
}

/** Whether a trusted proxy sent the request itself, so that its headers are those of the proxy. */
export function isTrustedPeer(req: IncomingMessage): boolean {
  if (wasAskedForCertificate(req.socket)) return false
  return isTrusted(peerAddress(req.socket), requestContext(req).trustedProxies)
}

/** A connection has the same peer for as long as it lives. */
function peerAddress(socket: Socket & PeerCarrier): string {
  socket[PEER] ??= bareAddress(socket.remoteAddress ?? '') ?? 'unknown'
  return socket[PEER]
}

export function lastUntrustedHop(peer: string, forwardedFor: string | string[], trusted: BlockList): string {
  const hops = String(forwardedFor).split(',')
  let address = peer
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const previous = bareAddress(hops.pop()?.trim() ?? '')
    // A part that a trusted proxy did not understand is no address; the proxy itself is the last known one.
    if (previous === undefined) break
    address = previous
  }
  return address
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Returns the address without port and brackets, IPv4 in its own form even when a dual-stack socket reports it inside
 * IPv6.
 */
function bareAddress(hop: string): string | undefined {
  const unbracketed =
    /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? hop
  const address = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(unbracketed)?.[1] ?? unbracketed
  return isIP(address) === 0 ? undefined : address
}

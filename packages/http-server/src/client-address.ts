import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { requestContext } from './request-context.ts'

/**
 * The address of whoever is calling: the last hop outside the trusted proxies. `X-Forwarded-For` counts only as far
 * as trusted proxies wrote it, so a client cannot choose its own address.
 */
export function clientAddress(req: IncomingMessage): string {
  const peer = bareAddress(req.socket.remoteAddress ?? '') ?? 'unknown'
  return lastUntrustedHop(peer, req.headers['x-forwarded-for'], requestContext(req).trustedProxies)
}

export function lastUntrustedHop(
  peer: string,
  forwardedFor: string | string[] | undefined,
  trusted: BlockList,
): string {
  const hops = String(forwardedFor ?? '').split(',')
  let address = peer
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const previous = bareAddress(hops.pop()?.trim() ?? '')
    // What a trusted proxy did not understand is no address; the proxy itself is the last one known.
    if (previous === undefined) break
    address = previous
  }
  return address
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Without port and brackets, IPv4 in its own form even when a dual-stack socket reports it inside IPv6. */
function bareAddress(hop: string): string | undefined {
  const unbracketed =
    /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? hop
  const address = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(unbracketed)?.[1] ?? unbracketed
  return isIP(address) === 0 ? undefined : address
}

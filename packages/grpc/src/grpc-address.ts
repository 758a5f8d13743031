import { isIPv6 } from 'node:net'
import { isLoopbackHost } from '@signet/protocol/loopback-host'

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

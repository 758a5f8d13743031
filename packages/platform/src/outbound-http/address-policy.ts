import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import ipaddr from 'ipaddr.js'

/** Whether a connection to an IP address may be made. */
export type MayCall = (address: string) => boolean

/** Ranges that no setting permits. */
const FORBIDDEN_RANGES: ReadonlySet<string> = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal'])

/** The metadata services of cloud providers, which return credentials to any caller, and the former class E. */
const FORBIDDEN_NETWORKS = [
  '240.0.0.0/4',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((network) => ipaddr.parseCIDR(network))

/** IPv6 addresses outside of this network are not public (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** A connection to these addresses reaches the IPv4 address at their end (RFC 4291 section 2.5.5.2, RFC 6052 section 2.1). */
const EMBEDDING_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((network) => ipaddr.IPv6.parseCIDR(network))

/** The loopback addresses of this machine. */
export const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Networks of servers that the settings name: any address that is not forbidden to all calls. */
export const EVERY_NETWORK = new BlockList()
EVERY_NETWORK.addSubnet('0.0.0.0', 0, 'ipv4')
EVERY_NETWORK.addSubnet('::', 0, 'ipv6')

/** Permits public addresses, and special-purpose addresses (RFC 6890) in `allowed` that are not forbidden. */
export function createAddressPolicy(allowed: BlockList): MayCall {
  return (text) => {
    // A zone (RFC 4007) belongs to a link-local address only.
    if (isIP(text) === 0 || text.includes('%')) return false
    const address = targetOf(parse(text))
    if (isForbidden(address)) return false
    return isPublic(address) || allowed.check(address.toString(), address.kind())
  }
}

type Address = ReturnType<typeof ipaddr.parse>

/** Converts IPv6 to hexadecimal by the URL parser first, because ipaddr.js reads `::1.2.3.4` as `::ffff:1.2.3.4`. */
function parse(text: string): Address {
  return ipaddr.parse(isIP(text) === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1))
}

function targetOf(address: Address): Address {
  const embeds = EMBEDDING_IPV4.some((network) => address.kind() === 'ipv6' && address.match(network))
  return embeds ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

function isForbidden(address: Address): boolean {
  if (FORBIDDEN_RANGES.has(address.range())) return true
  return ipaddr.subnetMatch(address, { forbidden: FORBIDDEN_NETWORKS }, '') === 'forbidden'
}

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST))
}

/**
 * The networks besides the public Internet that may be called: those of the setting, or without it loopback if the issuer is on
 * loopback and so serves applications of the same machine.
 */
export function permittedNetworks(named: BlockList | undefined, issuer: string): BlockList {
  if (named !== undefined) return named
  return isLoopbackHost(new URL(issuer).hostname) ? LOOPBACK : new BlockList()
}

import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import ipaddr from 'ipaddr.js'

/** Whether a connection to an IP address may be made. */
export type MayCall = (address: string) => boolean

/** Neighbours on the link, groups of receivers, and no address at all. */
const FORBIDDEN_RANGES: ReadonlySet<string> = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal'])

/** Metadata services, which give the secrets of a machine to any caller on it, and the former class E. */
const FORBIDDEN_NETWORKS = [
  '240.0.0.0/4',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((network) => ipaddr.parseCIDR(network))

/** RFC 4291 section 2.4: IPv6 addresses outside of it are not of the public Internet, whether in use or not. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** RFC 4291 section 2.5.5.2 and RFC 6052 section 2.1: a connection to these goes to the IPv4 address at the end. */
const EMBEDDING_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((network) => ipaddr.IPv6.parseCIDR(network))

/** Everything on the machine itself. */
export const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Permits public addresses and, of the special ones (RFC 6890), those in `allowed`; forbidden ones stay forbidden. */
export function addressPolicy(allowed: BlockList): MayCall {
  return (text) => {
    // A zone (RFC 4007) belongs to a link-local address only.
    if (isIP(text) === 0 || text.includes('%')) return false
    const address = targetOf(parse(text))
    if (isForbidden(address)) return false
    return isPublic(address) || allowed.check(address.toString(), address.kind())
  }
}

type Address = ReturnType<typeof ipaddr.parse>

/** Reads IPv6 as the URL parser writes it, in hexadecimal: ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`. */
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
 * The networks beside the public Internet that may be called: those that the operator named, else loopback where the
 * issuer itself is on loopback and serves applications of the same machine.
 */
export function permittedNetworks(named: BlockList | undefined, issuer: string): BlockList {
  if (named !== undefined) return named
  return isLoopbackHost(new URL(issuer).hostname) ? LOOPBACK : new BlockList()
}

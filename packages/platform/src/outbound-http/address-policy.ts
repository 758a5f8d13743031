import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'

/** Whether a connection to an IP address may be made. */
export type MayCall = (address: string) => boolean

/**
 * Link-local neighbours, multicast groups, and metadata services that give a machine's secrets to any caller on it.
 */
const NEVER = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
])

/** RFC 6890: loopback, private networks and what else is no address of the public Internet. */
const SPECIAL_IPV4 = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
])

/** All but global unicast (2000::/3), and of that the ranges for other uses: Teredo, documentation, 6to4. */
const SPECIAL_IPV6 = blockList([
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

/** Everything on the machine itself. */
export const LOOPBACK = blockList([
  ['127.0.0.0', 8],
  ['::1', 128],
])

/** Permits public addresses and, of the special ones, those in `allowed`; forbidden ones stay forbidden. */
export function addressPolicy(allowed: BlockList): MayCall {
  return (address) => {
    const version = isIP(address)
    // A zone (RFC 4007) belongs to a link-local address only.
    if (version === 0 || address.includes('%')) return false
    const plain = version === 6 ? (embeddedIpv4(address) ?? address) : address
    if (isIn(NEVER, plain)) return false
    // A list of its own for each version: node:net takes every IPv4 address for one in ::/3.
    const special = isIP(plain) === 4 ? SPECIAL_IPV4 : SPECIAL_IPV6
    return !isIn(special, plain) || isIn(allowed, plain)
  }
}

/** The target of an IPv4-mapped (RFC 4291 section 2.5.5.2) or a translated address (RFC 6052 section 2.1). */
function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(address)
  const prefix = groups.slice(0, 6).map((group) => group.toString(16))
  if (!['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'].includes(prefix.join(':'))) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // The URL parser writes every IPv6 address in one way (RFC 5952), dotted decimals included.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return numbers(head)
  const zeros = 8 - numbers(head).length - numbers(tail).length
  return [...numbers(head), ...Array.from({ length: zeros }, () => 0), ...numbers(tail)]
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function blockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets)
    list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6')
  return list
}

/**
 * The networks beside the public Internet that may be called: those that the operator named, else loopback where the
 * issuer itself is on loopback and serves applications of the same machine.
 */
export function permittedNetworks(named: BlockList | undefined, issuer: string): BlockList {
  if (named !== undefined) return named
  return isLoopbackHost(new URL(issuer).hostname) ? LOOPBACK : new BlockList()
}

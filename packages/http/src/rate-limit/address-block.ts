import { isIPv6 } from 'node:net'

/** The addresses of one subscriber: an IPv4 address itself, and the /64 around one of IPv6. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const missing = 8 - groups(head).length - groups(tail).length
  const all = address.includes('::')
    ? [...groups(head), ...Array(Math.max(missing, 0)).fill('0'), ...groups(tail)]
    : groups(head)
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}

import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastUntrustedHop } from './request-context.ts'

const proxies = new BlockList()
proxies.addSubnet('10.0.0.0', 8, 'ipv4')
proxies.addSubnet('fd00::', 8, 'ipv6')

describe('client address', () => {
  it('ignores a header from a peer that is no trusted proxy [F-43]', () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        (claimed) => lastUntrustedHop('203.0.113.9', claimed, proxies) === '203.0.113.9',
      ),
    )
    expect(lastUntrustedHop('10.0.0.1', '198.51.100.1', new BlockList())).toBe('10.0.0.1')
  })

  it('ignores the part of the header that the client wrote [F-43]', () => {
    expect(lastUntrustedHop('10.0.0.1', '127.0.0.1, 198.51.100.7', proxies)).toBe('198.51.100.7')
    expect(lastUntrustedHop('10.0.0.1', '127.0.0.1, 198.51.100.7, 10.0.0.2', proxies)).toBe('198.51.100.7')
  })

  it('reads ports, brackets and IPv4 inside IPv6', () => {
    expect(lastUntrustedHop('10.0.0.1', '198.51.100.7:4711', proxies)).toBe('198.51.100.7')
    expect(lastUntrustedHop('fd00::1', '[2001:db8::7]:4711', proxies)).toBe('2001:db8::7')
    expect(lastUntrustedHop('10.0.0.1', '198.51.100.7, ::ffff:10.0.0.2', proxies)).toBe('198.51.100.7')
  })

  it('stops at a hop that is no address', () => {
    expect(lastUntrustedHop('10.0.0.1', '198.51.100.7, unknown', proxies)).toBe('10.0.0.1')
    expect(lastUntrustedHop('10.0.0.1', '', proxies)).toBe('10.0.0.1')
    expect(lastUntrustedHop('10.0.0.1', '10.0.0.3, 10.0.0.2', proxies)).toBe('10.0.0.3')
  })
})

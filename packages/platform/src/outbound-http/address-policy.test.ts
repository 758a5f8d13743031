import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createAddressPolicy, LOOPBACK, permittedNetworks } from './address-policy.ts'

const everything = new BlockList()
everything.addSubnet('0.0.0.0', 0, 'ipv4')
everything.addSubnet('::', 0, 'ipv6')

const NEVER_CALLED = [
  '169.254.169.254',
  '169.254.0.1',
  '0.0.0.0',
  '224.0.0.251',
  '255.255.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::169.254.169.254',
  '192.0.0.192',
  '240.0.0.1',
  'fd20:ce::254',
]
const PRIVATE = [
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '::1',
  '::127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::10.0.0.1',
  'fc00::1',
  'fd12:3456::1',
  '2002:a00:1::1',
  '2001::1',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.175.48.1',
  '::8.8.8.8',
  '::ffff:0:8.8.8.8',
  '64:ff9b:1::8.8.8.8',
  '100::1',
  '2001:db8::1',
  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fec0::1',
]
const PUBLIC = [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
]

describe('which addresses may be called [F-39]', () => {
  it.each(NEVER_CALLED)('%s never, even when every network is allowed', (address) => {
    expect(createAddressPolicy(everything)(address)).toBe(false)
  })

  it.each(PRIVATE)('%s when its network is allowed', (address) => {
    expect(createAddressPolicy(new BlockList())(address)).toBe(false)
    expect(createAddressPolicy(everything)(address)).toBe(true)
  })

  it.each(PUBLIC)('%s without leave', (address) => {
    expect(createAddressPolicy(new BlockList())(address)).toBe(true)
  })

  it('leave for loopback is none for other private networks', () => {
    const mayCall = createAddressPolicy(LOOPBACK)
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', 'fc00::1'].map(mayCall)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('refuses invalid addresses', () => {
    expect(['', 'localhost', '127.1', '::g'].map(createAddressPolicy(everything))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})

it('without SIGNET_OUTBOUND_ALLOW a loopback issuer may call loopback', () => {
  expect(permittedNetworks(undefined, 'http://localhost:8080').check('127.0.0.1')).toBe(true)
})

it('without SIGNET_OUTBOUND_ALLOW any other issuer calls the public Internet only', () => {
  expect(permittedNetworks(undefined, 'https://id.example').check('127.0.0.1')).toBe(false)
})

it('SIGNET_OUTBOUND_ALLOW stands instead of the default', () => {
  const named = new BlockList()
  named.addSubnet('10.0.0.0', 8, 'ipv4')
  expect(permittedNetworks(named, 'http://localhost:8080')).toBe(named)
})

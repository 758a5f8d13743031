import { BlockList } from 'node:net'
import { expect, it } from 'vitest'
import { permittedNetworks } from './address-policy.ts'

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

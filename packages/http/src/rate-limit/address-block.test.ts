import { expect, it } from 'vitest'
import { addressBlock } from '../rate-limit.ts'

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:0:1::5', '2001:db8:0:1'],
  ['2001:0DB8:0000:0001:ffff:0:0:1', '2001:db8:0:1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('throttling: %s counts as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})

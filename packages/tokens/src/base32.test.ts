import { expect, it } from 'vitest'
import { decodeBase32, encodeBase32 } from './identifiers.ts'

it.each([
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('RFC 4648 section 10: %s is %s', (text, encoded) => {
  expect(encodeBase32(Buffer.from(text))).toBe(encoded)
  expect(decodeBase32(encoded)?.toString()).toBe(text)
})

it('reads lower case, spaces and padding', () => {
  expect(decodeBase32('mzxw 6ytb oi======')?.toString()).toBe('foobar')
})

it.each(['', '====', 'MZXW1', 'MZ-XQ'])('"%s" is none', (text) => {
  expect(decodeBase32(text)).toBeUndefined()
})

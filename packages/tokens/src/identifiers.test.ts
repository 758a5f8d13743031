import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  decodeBase32,
  encodeBase32,
  IDENTIFIER,
  isClientIdentifier,
  isUserIdentifier,
  newIdentifier,
} from './identifiers.ts'

it('RFC 9562 section 5.7: identifiers sort by creation and keep to the identifier syntax', () => {
  const early = newIdentifier(new Date('2026-01-01T00:00:00.000Z'), randomBytes)
  const late = newIdentifier(new Date('2026-01-01T00:00:00.001Z'), randomBytes)
  expect(early).toMatch(/^[a-z2-7]{26}$/)
  expect(early).toMatch(IDENTIFIER)
  // Digits come after letters in base32 but before them in ASCII, so order is that of the alphabet.
  const rank = (id: string) =>
    [...id].map((c) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(c).toString(16).padStart(2, '0')).join('')
  expect(rank(early) < rank(late)).toBe(true)
})

it('makes identifiers that are all different', () => {
  const now = new Date()
  expect(new Set(Array.from({ length: 1_000 }, () => newIdentifier(now, randomBytes))).size).toBe(1_000)
})

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

it('reads base32 in lower case, with spaces and padding', () => {
  expect(decodeBase32('mzxw 6ytb oi======')?.toString()).toBe('foobar')
})

it.each(['', '====', 'MZXW1', 'MZ-XQ'])('rejects "%s" as base32', (text) => {
  expect(decodeBase32(text)).toBeUndefined()
})

describe('isUserIdentifier', () => {
  it.each(['auth0|5f7c', 'did:web:acme.example:ann', 'urn:uuid:1', `urn:${'a'.repeat(158)}`])(
    'takes %s',
    (id) => {
      expect(isUserIdentifier(id)).toBe(true)
      expect(isClientIdentifier(id)).toBe(false)
    },
  )

  it.each([
    ...[
      '',
      ':',
      'urn:',
      ':a',
      '1:a',
      'oauth2|discord|1:a',
      'https://a.example/',
      'urn:a/b',
      'urn:a%20',
      'urn:a b',
    ],
    ...['CORP\\jd', 'j\u00fcrgen', 'urn:a\n', `urn:${'a'.repeat(159)}`, 'a'.repeat(201)],
  ])('refuses %j', (id) => expect(isUserIdentifier(id)).toBe(false))
})

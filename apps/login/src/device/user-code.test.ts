import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newUserCode, readUserCode, shownUserCode } from './user-code.ts'

it('reads a code however a person types it', () => {
  const code = newUserCode(randomBytes)
  const noise = fc.array(fc.constantFrom('-', ' ', '\u2013', '\u00a0', '.', '_'), { maxLength: 3 })
  const letters = fc.tuple(
    ...[...code].map((letter) =>
      fc.tuple(
        noise,
        fc.constantFrom(
          letter,
          letter.toLowerCase(),
          String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
        ),
      ),
    ),
  )
  fc.assert(
    fc.property(letters, (typed) => {
      expect(readUserCode(typed.flatMap(([before, letter]) => [...before, letter]).join(''))).toBe(code)
    }),
  )
  expect(readUserCode(shownUserCode(code))).toBe(code)
})

it('reads no other text', () => {
  for (const typed of [
    '',
    'BCDFGHJ',
    'BCDFGHJKL',
    'BCDFGHJA',
    'BCDFGHJ1',
    'BCDFGHJ\0',
    `B${'-'.repeat(70)}CDFGHJK`,
  ]) {
    expect(readUserCode(typed), typed).toBeUndefined()
  }
})

it('draws every letter equally often', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  let at = 0
  const codes = Array.from({ length: 30 }, () =>
    newUserCode((size) => {
      const drawn = bytes.subarray(at, at + size)
      at += size
      return drawn
    }),
  )
  const counts = new Map<string, number>()
  for (const letter of codes.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect([...counts.values()]).toEqual(Array(20).fill(12))
})

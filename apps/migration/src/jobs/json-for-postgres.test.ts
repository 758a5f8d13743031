import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonForPostgres } from './json-for-postgres.ts'

it('replaces what jsonb refuses in texts and names, and nothing else', () => {
  const value = { 'a\0': ['\0', '\\u0000', '\\\0', 'x\ud800', '\udc00', '\ud83d\ude00', 1, null] }
  expect(JSON.parse(jsonForPostgres(value))).toEqual({
    'a\ufffd': ['\ufffd', '\\u0000', '\\\ufffd', 'x\ufffd', '\ufffd', '\ud83d\ude00', 1, null],
  })
  const text = fc.string({ unit: 'binary' }).map((each) => `\\${each}\0\\`)
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const expected = texts.map((each) => each.toWellFormed().replaceAll('\0', '\ufffd'))
      expect(JSON.parse(jsonForPostgres(texts))).toEqual(expected)
    }),
    { seed: 7 },
  )
})

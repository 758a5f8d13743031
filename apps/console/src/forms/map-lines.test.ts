import { expect, it } from 'vitest'
import { hasLines, linesOf, mapOf } from './map-lines.ts'

it('writes a map as lines and reads it again', () => {
  const map = { hd: 'acme.example', 'https://x/y': 'a=b' }
  expect(linesOf(map)).toBe('hd=acme.example\nhttps://x/y=a=b')
  expect(mapOf(linesOf(map))).toEqual(map)
})

it('keeps the text while a line is no member, or a name is there twice', () => {
  for (const lines of ['hd', 'hd=', '=a', 'hd=a\n', 'hd=a\nhd=b']) expect(mapOf(lines)).toBe(lines)
})

it('knows the maps that lines cannot stand for', () => {
  expect([undefined, {}, { a: 'b' }, 'hd='].map(hasLines)).toEqual([true, true, true, true])
  expect([{ 'a=b': 'c' }, { a: 'b\nc' }, { a: 1 }].map(hasLines)).toEqual([false, false, false])
})

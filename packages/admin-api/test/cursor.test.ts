import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../src/cursor.ts'

describe('cursors of lists', () => {
  it.each(['', 'alice', 'auth0|5f7c', '\u{1f600} key', 'x'.repeat(1_000)])(
    'a cursor stands for its key %j',
    (key) => {
      expect(decodeCursor(encodeCursor(key))).toBe(key)
    },
  )

  it.each(['', 'xx', 'YWxpY2U', 'alice', '%', 'x'.repeat(10_000), encodeCursor('a\0b')])(
    '%j is none',
    (text) => {
      expect(decodeCursor(text)).toBeUndefined()
    },
  )

  it('a cursor that lost, got or changed a character is none', () => {
    const cursor = encodeCursor('alice')
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A'
      expect(decodeCursor(`${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`)).toBeUndefined()
      expect(decodeCursor(`${cursor.slice(0, at)}${cursor.slice(at + 1)}`)).toBeUndefined()
    }
    expect(decodeCursor(`${cursor}A`)).toBeUndefined()
  })
})

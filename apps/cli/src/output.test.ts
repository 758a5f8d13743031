import { expect, it } from 'vitest'
import { tableOf } from './output.ts'

it('writes tables without characters that a terminal obeys', () => {
  const name = '\u001b]0;x\u0007\u009b2J\u202eÄ👨‍👩‍👧'
  expect(tableOf({ items: [{ name }] }, ['name'])).toBe('NAME\n\ufffd]0;x\ufffd\ufffd2J\ufffdÄ👨‍👩‍👧')
  expect(tableOf({ name })).not.toMatch(/[^\P{Cc}\n]/u)
})

import { expect, it } from 'vitest'
import { table, tableOf } from './output.ts'

it('writes tables without characters that a terminal obeys', () => {
  const name = '\u001b]0;x\u0007\u009b2J\u202eÄ👨‍👩‍👧'
  expect(tableOf({ items: [{ name }] }, ['name'])).toBe('NAME\n\ufffd]0;x\ufffd\ufffd2J\ufffdÄ👨‍👩‍👧')
  // As the findings of the doctor and the organizations of a document are written.
  expect(table([['DETAIL'], [`user name ${name}`]])).not.toMatch(/[^\P{Cc}\n]/u)
  expect(tableOf({ name })).not.toMatch(/[^\P{Cc}\n]/u)
})

it('writes each row of a table on one line, also where a person wrote lines', () => {
  const streetAddress = 'Way 1\nroles\tIAM_OWNER\r\n'
  expect(tableOf({ streetAddress, roles: [] })).toBe(
    'streetAddress  Way 1 roles IAM_OWNER\ufffd\nroles          -',
  )
  expect(tableOf({ items: [{ streetAddress }] }).split('\n')).toHaveLength(2)
})

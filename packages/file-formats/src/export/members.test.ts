import { expect, it } from 'vitest'
import { membersOf, RECORD_SCHEMAS } from './format-schema.ts'
import { MEMBER_TREATMENTS } from './members.ts'

const LISTS = Object.keys(RECORD_SCHEMAS) as (keyof typeof RECORD_SCHEMAS)[]

it.each(LISTS)('%s: every member of the schema has a row, and every row a member', (list) => {
  const members = membersOf(RECORD_SCHEMAS[list]).map(({ path }) => path)
  expect(Object.keys(MEMBER_TREATMENTS[list]).sort()).toEqual(members.toSorted())
})

it.each(LISTS)('%s: every row that is not kept says what becomes of it', (list) => {
  const silent = Object.entries(MEMBER_TREATMENTS[list]).filter(
    ([, { kind, text }]) => kind !== 'kept' && !text,
  )
  expect(silent).toEqual([])
})

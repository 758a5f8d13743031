import { expect, it } from 'vitest'
import type { Schema } from '../api/description.ts'
import { isListOfObjects, isRowList, listOfRows, placesOf } from './list-rows.ts'

const text = { type: 'string' } as const
const mapping: Schema = {
  type: 'object',
  properties: { group: text, projectId: text, roles: { type: 'array', items: text } },
}
const stored = { group: 'staff', projectId: 'shop', roles: ['buyer'], note: 'a member without a field' }
const empty = { roles: [] }

it('has rows for objects with plain members, and none for deeper ones', () => {
  expect(isRowList({ type: 'array', items: mapping })).toBe(true)
  const deeper: Schema = {
    type: 'object',
    properties: { id: text, mappings: { type: 'array', items: mapping } },
  }
  expect(isRowList({ type: 'array', items: deeper })).toBe(false)
  expect(isRowList({ type: 'array', items: { type: 'object', properties: { mapping } } })).toBe(false)
  expect(isRowList({ type: 'array', items: text })).toBe(false)
  expect(isRowList({ type: 'array', items: {} })).toBe(false)
})

it('takes lists of objects up to a length', () => {
  expect(
    [[stored], [], [stored, 'text'], [null], [[]], 'text', undefined].map((value) => isListOfObjects(value)),
  ).toEqual([true, true, false, false, false, false, false])
  expect([isListOfObjects([stored], 1), isListOfObjects([stored, stored], 1)]).toEqual([true, false])
})

it('leaves out rows that nothing was written in, and keeps members without a field', () => {
  expect(listOfRows([empty, stored, {}])).toEqual([stored])
  expect(listOfRows([{ ...stored, group: 'all' }])).toEqual([{ ...stored, group: 'all' }])
  expect(listOfRows([{ projectId: 'shop', roles: [] }])).toEqual([{ projectId: 'shop', roles: [] }])
})

it('finds the place of a row in the list that is sent', () => {
  expect(placesOf([stored, empty, stored])).toEqual([0, 1, 1])
})

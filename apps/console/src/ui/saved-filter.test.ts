import { expect, it } from 'vitest'
import { readSavedFilters, withFilter, withoutFilter } from './saved-filter.ts'

const ONE = { name: 'refused', filters: { result: 'refused' } }

it('reads the filters that it wrote, and leaves out what is none', () => {
  const stored = [ONE, null, 1, { name: 1, filters: {} }, { name: 'x' }, { name: 'y', filters: { kind: 1 } }]
  expect(readSavedFilters(JSON.stringify(stored))).toEqual([ONE])
  for (const other of [null, '', '{', '{}', 'null', '"text"']) expect(readSavedFilters(other)).toEqual([])
})

it('replaces a filter of the same name, and deletes one by its name', () => {
  const other = { name: 'a', filters: { kind: 'human' } }
  const changed = { name: 'refused', filters: { result: 'failed' } }
  expect(withFilter(withFilter([ONE], other), changed)).toEqual([other, changed])
  expect(withoutFilter([other, ONE], 'a')).toEqual([ONE])
})

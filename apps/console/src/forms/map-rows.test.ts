import { expect, it } from 'vitest'
import { emptyRow, mapOfRows, rowsOf } from './map-rows.ts'

const target = {
  type: 'object',
  required: ['clientId', 'scopes'],
  properties: { clientId: { type: 'string' }, scopes: { type: 'array' } },
}
const map = { 'https://id.chat.example': { clientId: 'wiki', scopes: ['chat.read'] } }

it('makes rows of a map, and the map of rows', () => {
  expect(mapOfRows(rowsOf(map))).toEqual(map)
  expect([rowsOf(undefined), mapOfRows([])]).toEqual([[], {}])
})

it('leaves out a row that nothing was written in', () => {
  const row = emptyRow(target)
  expect(row).toEqual({ name: '', members: { scopes: [] } })
  expect(mapOfRows([...rowsOf(map), row])).toEqual(map)
})

it('loses no row without a name, and none of two with one name', () => {
  expect(mapOfRows([{ name: '', members: { clientId: 'wiki' } }])).toEqual({ '': { clientId: 'wiki' } })
  expect(mapOfRows([...rowsOf(map), ...rowsOf(map)])).toBe('https://id.chat.example\nhttps://id.chat.example')
})

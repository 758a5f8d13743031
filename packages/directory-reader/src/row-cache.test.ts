import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { createBatchedQuery, RowCache } from './row-cache.ts'

function createTestEnvironment(load: (id: string) => string | undefined) {
  const clock = createFakeClock()
  const loaded: string[] = []
  const cache = new RowCache({
    accepts: () => true,
    async load(id) {
      loaded.push(id)
      return load(id)
    },
    elapsed: () => clock.now().getTime(),
  })
  return { cache, loaded }
}

it.each([
  ['20,000 rows', 20_000, (id: string) => `row ${id}`],
  ['5,000 absent ids', 5_000, () => undefined],
])('keeps the %s that were used last', async (_, most, load) => {
  const { cache, loaded } = createTestEnvironment(load)
  for (let id = 0; id < most; id += 1) await cache.get(`${id}`)
  await cache.get('0')
  expect(loaded).toHaveLength(most)
  await cache.get('one more')
  loaded.length = 0
  for (const id of ['0', 'one more', '2']) await cache.get(id)
  expect(loaded).toEqual([])
  await cache.get('1')
  expect(loaded).toEqual(['1'])
})

it('keeps the rows that were used last within a limit of their sizes, and gives one that is larger', async () => {
  const loaded: string[] = []
  const cache = new RowCache({
    accepts: () => true,
    async load(id) {
      loaded.push(id)
      return { size: Number(id) }
    },
    elapsed: () => 0,
    limit: { total: 100, of: ({ size }) => size },
  })
  for (const id of ['40', '50', '40', '30', '101', '101'])
    expect(await cache.get(id)).toEqual({ size: Number(id) })
  expect(loaded).toEqual(['40', '50', '30', '101', '101'])
  for (const id of ['40', '30', '50']) await cache.get(id)
  expect(loaded.slice(5)).toEqual(['50'])
})

it('queries once for the calls of one turn, 200 ids at most, and again for a later call', async () => {
  const queries: (readonly string[])[] = []
  const load = createBatchedQuery<{ readonly id: string; readonly query: number }>(
    ({ id }) => id,
    async (ids) => {
      queries.push(ids)
      if (ids.includes('broken')) throw new Error('the query failed')
      return ids.filter((id) => id !== 'absent').map((id) => ({ id, query: queries.length }))
    },
  )
  expect(await Promise.all([load('1'), load('absent'), load('2')])).toEqual([
    { id: '1', query: 1 },
    undefined,
    { id: '2', query: 1 },
  ])
  expect(await load('1')).toEqual({ id: '1', query: 2 })
  expect(await Promise.allSettled([load('broken'), load('1')])).toMatchObject([
    { reason: new Error('the query failed') },
    { reason: new Error('the query failed') },
  ])
  expect(await load('1')).toEqual({ id: '1', query: 4 })
  queries.length = 0
  await Promise.all(Array.from({ length: 201 }, (_, id) => load(`${id}`)))
  expect(queries.map(({ length }) => length)).toEqual([200, 1])
})

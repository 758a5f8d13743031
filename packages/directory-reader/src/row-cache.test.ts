import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { RowCache } from './row-cache.ts'

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

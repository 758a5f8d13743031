import { getHeapSpaceStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { compactHeap } from './heap.ts'

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}

it('shrinks the young generation and does not expose the collector', () => {
  const recent: object[][] = []
  for (let round = 0; youngBytes() < 2 ** 22; round += 1) {
    recent[round % 20] = Array.from({ length: 1_000 }, (_, index) => ({ index }))
  }
  compactHeap()
  expect(youngBytes()).toBeLessThan(2 ** 22)
  expect(globalThis.gc).toBeUndefined()
})

import { expect, it } from 'vitest'
import { createEndByDirectory } from './follow-epochs.ts'

it('ends any number of personal access tokens with few locks in each transaction', async () => {
  const sizes: number[] = []
  const end = createEndByDirectory({
    endings: {
      async endByDirectory(endings) {
        sizes.push(endings.length)
        return []
      },
    },
    publish: async () => undefined,
    now: () => new Date(),
  })
  await end(Array.from({ length: 60_000 }, (_, n) => ({ kind: 'p', id: `alice ${n}`, epoch: 1 })))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(60_000)
})

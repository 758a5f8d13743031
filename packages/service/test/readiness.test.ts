import { silentLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import { afterEach, expect, it } from 'vitest'
import { createReadiness, type Readiness } from '../src/readiness.ts'

let readiness: Readiness | undefined
afterEach(() => readiness?.drain())

async function started(notReady: () => Promise<readonly string[]>, elapsed?: () => number) {
  readiness = createReadiness(silentLogger, createMetrics(), elapsed)
  await readiness.started({ notReady, degraded: () => [], onChange: () => undefined })
  return readiness
}

it('is not ready when the question fails, until one is answered', async () => {
  let fails = false
  const { notReady } = await started(async () => {
    if (fails) throw new Error('no answer')
    return []
  })
  expect(await notReady()).toEqual([])
  fails = true
  await expect.poll(notReady).toEqual(['readiness check'])
  fails = false
  await expect.poll(notReady).toEqual([])
})

it('is not ready while a question has no answer for three seconds', async () => {
  let now = 0
  let answer = () => {}
  let asked = 0
  const { notReady } = await started(
    async () => {
      asked += 1
      if (asked > 1) await new Promise<void>((resolve) => (answer = resolve))
      return []
    },
    () => now,
  )
  await expect.poll(() => asked).toBe(2)
  now = 3_000
  expect(await notReady()).toEqual([])
  now = 3_001
  expect(await notReady()).toEqual(['readiness check'])
  answer()
  await expect.poll(notReady).toEqual([])
  await expect.poll(() => asked).toBe(3)
  const drained = readiness?.drain()
  expect(await notReady()).toEqual(['draining'])
  answer()
  await drained
})

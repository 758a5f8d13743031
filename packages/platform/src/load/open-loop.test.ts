import { expect, it } from 'vitest'
import { arrive, type EndedOperation, quantileOf } from './open-loop.ts'

it('times an operation from its planned start, the waiting for a lane included', async () => {
  let release: () => void = () => {}
  const stalled = new Promise<void>((resolve) => {
    release = resolve
  })
  const ended: EndedOperation[] = []
  let begun = 0
  const lane = () => {
    begun += 1
    return begun === 1 ? stalled : Promise.resolve()
  }
  const arrivals = arrive(
    [lane],
    { perSecond: 1000, durationMs: 10_000, most: 20, random: () => 0.5 },
    (one) => ended.push(one),
  )
  await new Promise((resolve) => setTimeout(resolve, 60))
  const releasedAt = performance.now()
  release()
  await arrivals
  expect(ended).toHaveLength(20)
  expect(begun).toBe(20)
  const planned = ended.map(({ plannedAt }) => plannedAt)
  // -ln(0.5) milliseconds from one to the next, also where the generator noticed several of them in one tick.
  for (const [index, at] of planned.entries()) expect(at - (planned[0] ?? 0)).toBeCloseTo(index * Math.LN2, 3)
  for (const { plannedAt, noticedAt, endedAt } of ended) {
    expect(plannedAt).toBeLessThanOrEqual(noticedAt)
    expect(endedAt).toBeGreaterThanOrEqual(releasedAt)
  }
})

it('begins nothing after the signal, drops what waits and awaits what has begun', async () => {
  const interrupted = new AbortController()
  const ended: EndedOperation[] = []
  const lane = async () => {
    interrupted.abort()
    await new Promise((resolve) => setImmediate(resolve))
    throw new Error('refused')
  }
  const { signal } = interrupted
  await arrive([lane], { perSecond: 5000, durationMs: 60_000, random: Math.random, signal }, (one) =>
    ended.push(one),
  )
  expect(ended).toHaveLength(1)
  expect(ended[0]?.failure?.cause).toEqual(new Error('refused'))
})

it('returns the largest value for quantile 1, and NaN without values', () => {
  const sorted = Float64Array.of(1, 2, 3, 4)
  expect([quantileOf(sorted, 0.5), quantileOf(sorted, 1)]).toEqual([3, 4])
  expect(quantileOf(new Float64Array(), 0.5)).toBeNaN()
})

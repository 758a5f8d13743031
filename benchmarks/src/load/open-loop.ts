import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from './http-exchange.ts'
import type { Lane } from './lane.ts'

export interface Arrivals {
  readonly perSecond: number
  readonly durationMs: number
  /** Random number from 0 up to 1. */
  readonly random: () => number
}

const TICK_MS = 1

/**
 * Starts operations at random times at a fixed mean rate, also while earlier ones wait, and returns the
 * milliseconds from the arrival of each to its response. When all lanes are busy an operation waits, and the
 * waiting counts, so that a stalled server cannot hide behind fewer requests.
 */
export async function arrive(lanes: readonly Lane[], send: Send, arrivals: Arrivals): Promise<Float64Array> {
  const latencies: number[] = []
  const waiting: number[] = []
  const free = [...lanes]
  const failures: unknown[] = []
  const underWay = new Set<Promise<void>>()

  function begin(arrivedAt: number): void {
    const lane = free.pop()
    if (lane === undefined) {
      waiting.push(arrivedAt)
      return
    }
    const done = lane(send).then(
      () => {
        latencies.push(performance.now() - arrivedAt)
        underWay.delete(done)
        free.push(lane)
        const next = waiting.shift()
        if (next !== undefined) begin(next)
      },
      (error: unknown) => {
        underWay.delete(done)
        failures.push(error)
      },
    )
    underWay.add(done)
  }

  const endsAt = performance.now() + arrivals.durationMs
  for (let last = performance.now(); last < endsAt && failures.length === 0; ) {
    await pause(TICK_MS)
    const now = performance.now()
    const expected = ((now - last) / 1000) * arrivals.perSecond
    for (let count = poisson(expected, arrivals.random); count > 0; count -= 1) begin(now)
    last = now
  }
  while (underWay.size > 0) await Promise.race(underWay)
  if (failures.length > 0) throw failures[0]
  return Float64Array.from(latencies).sort()
}

/** A Poisson-distributed random number with the mean `expected` (Knuth's method). */
function poisson(expected: number, random: () => number): number {
  const limit = Math.exp(-expected)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count += 1
  return count
}

/** The value that the share `quantile` of the sorted values does not exceed. */
export function quantileOf(sorted: Float64Array, quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN
}

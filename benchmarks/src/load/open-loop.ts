import { arrive as arriveOpenLoop } from '@signet/platform/load/open-loop'
import type { Send } from './http-exchange.ts'
import type { Lane } from './lane.ts'

export interface Arrivals {
  readonly perSecond: number
  readonly durationMs: number
  /** Random number from 0 up to 1. */
  readonly random: () => number
}

/**
 * Starts operations at random times at a fixed mean rate, and returns the sorted milliseconds from the arrival of each to its
 * response, without those that its lane takes off. Rejects with the first failure.
 */
export async function arrive(lanes: readonly Lane[], send: Send, arrivals: Arrivals): Promise<Float64Array> {
  const latencies: number[] = []
  const failures: unknown[] = []
  const failed = new AbortController()
  const sending = lanes.map((lane) => () => lane(send))
  await arriveOpenLoop(
    sending,
    { ...arrivals, signal: failed.signal },
    ({ noticedAt, endedAt, failure, value }) => {
      if (failure === undefined) {
        latencies.push(endedAt - noticedAt - (typeof value === 'number' ? value : 0))
      } else {
        failures.push(failure.cause)
        failed.abort()
      }
    },
  )
  if (failures.length > 0) throw failures[0]
  return Float64Array.from(latencies).sort()
}

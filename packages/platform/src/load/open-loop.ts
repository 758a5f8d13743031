import { setTimeout as pause } from 'node:timers/promises'

export interface Arrivals {
  /** Mean number of operations a second. */
  readonly perSecond: number
  readonly durationMs: number
  /** No more operations than this begin. */
  readonly most?: number
  /** Random number from 0 up to 1. */
  readonly random: () => number
  /** Ends the arrivals: operations that wait are dropped, those that have begun are awaited. */
  readonly signal?: AbortSignal
}

/** Times by `performance.now()`. */
export interface EndedOperation {
  /** Time at which the schedule wanted it to begin. */
  readonly plannedAt: number
  /** Time at which the generator noticed that, up to a tick later, or more where this process had no processor. */
  readonly noticedAt: number
  readonly endedAt: number
  /** Value that the lane resolved with. */
  readonly value?: unknown
  /** Present when the operation rejected. */
  readonly failure?: { readonly cause: unknown }
}

/** Sends one operation at a time. */
export type Lane = () => Promise<unknown>

const TICK_MS = 1

/**
 * Starts operations at random times at a fixed mean rate (open loop), also while earlier ones wait, and calls `ended` for each.
 * When all lanes are busy an operation waits, and `plannedAt` and `noticedAt` precede the waiting, so that a stalled
 * server cannot hide behind fewer requests. Resolves when all have ended.
 */
export async function arrive(
  lanes: readonly Lane[],
  { perSecond, durationMs, most = Number.POSITIVE_INFINITY, random, signal }: Arrivals,
  ended: (operation: EndedOperation) => void,
): Promise<void> {
  const free = [...lanes]
  const waiting: Pick<EndedOperation, 'plannedAt' | 'noticedAt'>[] = []
  const underWay = new Set<Promise<void>>()

  function begin(times: Pick<EndedOperation, 'plannedAt' | 'noticedAt'>): void {
    const lane = free.pop()
    if (lane === undefined) {
      waiting.push(times)
      return
    }
    const end = (outcome: Pick<EndedOperation, 'failure' | 'value'>) => {
      underWay.delete(done)
      free.push(lane)
      ended({ ...times, endedAt: performance.now(), ...outcome })
      const next = signal?.aborted ? undefined : waiting.shift()
      if (next !== undefined) begin(next)
    }
    const done: Promise<void> = lane().then(
      (value) => end({ value }),
      (cause: unknown) => end({ failure: { cause } }),
    )
    underWay.add(done)
  }

  const gapMs = () => (-Math.log(1 - random()) / perSecond) * 1000
  const startedAt = performance.now()
  let begun = 0
  let plannedAt = startedAt + gapMs()
  while (begun < most && performance.now() < startedAt + durationMs && !signal?.aborted) {
    await pause(TICK_MS)
    const noticedAt = performance.now()
    while (plannedAt <= noticedAt && begun < most && !signal?.aborted) {
      begin({ plannedAt, noticedAt })
      begun += 1
      plannedAt += gapMs()
    }
  }
  while (underWay.size > 0) await Promise.race(underWay)
}

/** The value that the share `quantile` of the sorted values does not exceed. */
export function quantileOf(sorted: Float64Array, quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN
}

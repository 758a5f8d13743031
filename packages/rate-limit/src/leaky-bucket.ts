/** Counts how often each key was used lately. */
export interface LeakyBucket {
  /** Seconds until the key may be used again; 0: now. Counts nothing. */
  waitSeconds(key: string): number
  /** Whether all buckets are, so that no key has to wait. */
  isEmpty(): boolean
  /** Counts a use, also one that should have waited. */
  fill(key: string): void
}

// Some megabytes at most; whoever invents keys makes it forget the one that was used longest ago.
const MOST_KEYS = 20_000
const SECOND_MS = 1_000
// A third of a second has no exact number.
const ROUNDING_MS = 0.01

/** A key may be used `perSecond` times at once and as often in each second after that. `now` is in milliseconds. */
export function createLeakyBucket(perSecond: number, now: () => number): LeakyBucket {
  const leakMs = SECOND_MS / perSecond
  /** When the bucket of each key will be empty, in the order of their last use. */
  const emptyAt = new Map<string, number>()
  let allEmptyAt = 0

  return {
    waitSeconds(key) {
      const at = emptyAt.get(key)
      if (at === undefined) return 0
      const waitMs = at + leakMs - SECOND_MS - now()
      return waitMs > ROUNDING_MS ? Math.ceil(waitMs / SECOND_MS) : 0
    },
    isEmpty: () => now() >= allEmptyAt,
    fill(key) {
      const time = now()
      const at = Math.max(emptyAt.get(key) ?? time, time)
      emptyAt.delete(key)
      const [oldest] = emptyAt.keys()
      if (emptyAt.size >= MOST_KEYS && oldest !== undefined) emptyAt.delete(oldest)
      const filledUntil = Math.min(at + leakMs, time + SECOND_MS)
      emptyAt.set(key, filledUntil)
      allEmptyAt = Math.max(allEmptyAt, filledUntil)
    },
  }
}

/** Counts the recent uses of each key. */
export interface LeakyBucket {
  /** Seconds until the key may be used again; 0: now. Counts nothing. */
  waitSeconds(key: string): number
  /** Whether all buckets are, so that no key has to wait. */
  isEmpty(): boolean
  /** Counts uses, also those that should have waited. */
  fill(key: string, uses?: number): void
}

// Some megabytes at most; with more keys the least recently used one is dropped.
const MOST_KEYS = 20_000
const SECOND_MS = 1_000
// A third of a second has no exact number.
const ROUNDING_MS = 0.01

/**
 * A key may be used so many times at once, and as often in each window after that; the window is a second by default.
 * `now` is in milliseconds.
 */
export function createLeakyBucket(
  perWindow: number,
  now: () => number,
  windowMs: number = SECOND_MS,
): LeakyBucket {
  const leakMs = windowMs / perWindow
  /** When the bucket of each key will be empty, in the order of their last use. */
  const emptyAt = new Map<string, number>()
  let allEmptyAt = 0

  return {
    waitSeconds(key) {
      const at = emptyAt.get(key)
      if (at === undefined) return 0
      const waitMs = at + leakMs - windowMs - now()
      return waitMs > ROUNDING_MS ? Math.ceil(waitMs / SECOND_MS) : 0
    },
    isEmpty: () => now() >= allEmptyAt,
    fill(key, uses = 1) {
      const time = now()
      const at = Math.max(emptyAt.get(key) ?? time, time)
      emptyAt.delete(key)
      const [oldest] = emptyAt.keys()
      if (emptyAt.size >= MOST_KEYS && oldest !== undefined) emptyAt.delete(oldest)
      const filledUntil = Math.min(at + leakMs * uses, time + windowMs)
      emptyAt.set(key, filledUntil)
      allEmptyAt = Math.max(allEmptyAt, filledUntil)
    },
  }
}

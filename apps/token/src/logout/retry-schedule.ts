const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** How long to wait after each failure; the first try is made at once. After the last there is no other. */
const DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS]

/** When to try again after so many failures, the latest of them just now; undefined when it is time to give up. */
export function nextTry(failures: number, now: Date): Date | undefined {
  const delayMs = DELAYS_MS[failures - 1]
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs)
}

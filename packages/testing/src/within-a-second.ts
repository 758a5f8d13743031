import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MS = 1_000
const PAUSE_MS = 20
const TICK_MS = 10
/** Timers of an idle event loop are late by less than this. */
const TOLERANCE_MS = 10

/**
 * Runs `change`, repeats `assertion`, and resolves when it passes at most a second after `change` resolved. Time in
 * which this process' own event loop stood still is not counted; all other time is. Rejects with the last error of
 * `assertion`, or with the time taken when the first pass came too late.
 */
export async function withinASecond(
  change: () => Promise<unknown>,
  assertion: () => Promise<void>,
): Promise<void> {
  await change()
  const elapsed = startStallFreeTimer()
  try {
    for (;;) {
      try {
        await assertion()
        break
      } catch (error) {
        if (elapsed.ms() > LIMIT_MS) throw error
      }
      await pause(PAUSE_MS)
    }
    const tookMs = elapsed.ms()
    if (tookMs > LIMIT_MS)
      throw new Error(`passed after ${Math.round(tookMs)} ms, allowed are ${LIMIT_MS} ms`)
  } finally {
    elapsed.stop()
  }
}

/** Measures elapsed milliseconds without those in which the event loop ran no timers. */
function startStallFreeTimer(): { ms(): number; stop(): void } {
  const from = performance.now()
  let stalledMs = 0
  let lastTick = from
  const tick = () => {
    const now = performance.now()
    const lateMs = now - lastTick - TICK_MS
    if (lateMs > TOLERANCE_MS) stalledMs += lateMs
    lastTick = now
  }
  const timer = setInterval(tick, TICK_MS)
  return {
    ms() {
      // A stall that has just ended is noticed here before its late tick runs.
      if (performance.now() - lastTick > TICK_MS) tick()
      return performance.now() - from - stalledMs
    },
    stop: () => clearInterval(timer),
  }
}

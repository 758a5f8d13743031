import type { Clock } from '@signet/platform/runtime/clock'

export interface FakeClock {
  /** Hand this to what asks for a clock. */
  readonly now: Clock
  /** Moves the time on; a negative number moves it back, as a corrected server clock does. */
  advance(ms: number): void
  set(time: Date): void
}

/** A clock that stands still until a test moves it. */
export function createFakeClock(start: Date = new Date('2030-01-01T00:00:00Z')): FakeClock {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms
    },
    set: (to) => {
      time = to.getTime()
    },
  }
}

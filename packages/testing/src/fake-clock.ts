import type { Clock } from '@signet/platform/runtime/clock'

/** A clock that a test moves. */
export interface TestClock {
  /** Hand this to code that asks for a clock. */
  readonly now: Clock
  /** Moves the time on; a negative number moves it back, as a corrected server clock does. */
  advance(ms: number): void
}

export interface FakeClock extends TestClock {
  set(time: Date): void
}

/** A clock that runs on as the system's does, ahead by the time that a test moved it. */
export function createRunningClock(): TestClock {
  let aheadMs = 0
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms
    },
  }
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

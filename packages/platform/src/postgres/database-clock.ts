/**
 * The time of PostgreSQL in a process, so that no wall clock of a process decides what has ended, what is due and who holds a
 * claim (docs/decisions/0070-the-clock-of-postgresql.md). Between two readings time passes by the monotonic clock of the process, so a
 * wall clock that jumps moves nothing. How far the wall clock is away is measured, because other programs rely on it.
 */
import type { Logger } from '../logger/logger.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import type { Queryable } from './pool.ts'

export interface DatabaseClock {
  /** The time of PostgreSQL; before the first reading that of the process. */
  readonly now: Clock
  /** Reads the time of PostgreSQL. Rejects when PostgreSQL is away; time then passes on from the last reading. */
  read(database: Queryable): Promise<void>
  /** Milliseconds since the last reading began that succeeded or is under way; infinite before the first. */
  ageMs(): number
  /** Seconds by which the wall clock of this process is ahead of PostgreSQL's for certain; negative: behind. */
  offsetSeconds(): number
  /** `clock` while the wall clock is further away than a process that serves may have. */
  notReady(): readonly string[]
}

interface DatabaseClockOptions {
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly wallClock?: Clock
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed?: () => number
}

/** A wall clock that is further away than this is logged. */
const WARNED_MS = 1_000
/** A process whose wall clock is further away than this is not ready. */
const TOLERATED_MS = 2_000

export function createDatabaseClock(options: DatabaseClockOptions): DatabaseClock {
  const { logger, wallClock = systemClock, elapsed = () => performance.now() } = options
  /** The time of PostgreSQL when `elapsed` was 0; undefined before the first reading. */
  let startedAtMs: number | undefined
  let offsetMs = 0
  let isWarned = false
  let readAt = Number.NEGATIVE_INFINITY

  function report(): void {
    const isFar = Math.abs(offsetMs) > WARNED_MS
    if (isFar === isWarned) return
    isWarned = isFar
    if (isFar) {
      logger.warn('clock_differs', {
        seconds: Math.round(offsetMs) / 1_000,
        reason:
          'the wall clock of this process is ahead of that of PostgreSQL (negative: behind); set both by NTP. Above 2 seconds the process is not ready',
      })
    } else logger.info('clock_agrees')
  }

  async function query(database: Queryable) {
    try {
      return await database.query<{ ms: number }>({
        name: 'clock.read', // no table
        text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
      })
    } catch (error) {
      readAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  return {
    now: () => (startedAtMs === undefined ? wallClock() : new Date(startedAtMs + elapsed())),
    async read(database) {
      const sentAt = elapsed()
      readAt = sentAt
      const { rows } = await query(database)
      const receivedAt = elapsed()
      const wallMs = wallClock().getTime()
      const earliest = rows[0]?.ms ?? Number.NaN
      // The time that the reply took is not known to be before or after the reading, so anything within it agrees.
      const latest = earliest + (receivedAt - sentAt)
      const within = (ms: number) => Math.min(Math.max(ms, earliest), latest)
      startedAtMs = within((startedAtMs ?? wallMs - receivedAt) + receivedAt) - receivedAt
      offsetMs = wallMs - within(wallMs)
      report()
    },
    ageMs: () => elapsed() - readAt,
    offsetSeconds: () => offsetMs / 1_000,
    notReady: () => (Math.abs(offsetMs) > TOLERATED_MS ? ['clock'] : []),
  }
}

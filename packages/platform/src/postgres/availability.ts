import type { Logger } from '../logger/logger.ts'
import { reportingOnce } from '../logger/reporting-once.ts'
import { repeat } from '../runtime/repeat.ts'
import type { Pool } from './pool.ts'

export interface Availability {
  /** `postgres` from the time on that no statement has succeeded for too long, until one does. */
  notReady(): readonly string[]
  stop(): Promise<void>
}

interface AvailabilityOptions {
  readonly pool: Pool
  readonly logger: Logger
  /** For how many milliseconds without PostgreSQL the service still is of use; 30,000 when left out. */
  readonly toleratedMs?: number
  /** After how many milliseconds without a success a statement is sent; 5,000 when left out. */
  readonly probeMs?: number
}

/**
 * Measures for how long no statement of a pool succeeded, and sends one when no other is. An outage is logged when it
 * begins and when it ends.
 */
export function watchAvailability(options: AvailabilityOptions): Availability {
  const { pool, logger, toleratedMs = 30_000, probeMs = 5_000 } = options
  const probe = async () => {
    if (pool.silentMs() < probeMs) return
    await pool.query({ name: 'pool.probe', text: 'SELECT 1' })
  }
  const round = reportingOnce(
    probe,
    (error) => logger.warn('database_unreachable', { error }),
    () => logger.info('database_reachable'),
  )
  const rounds = repeat(probeMs, round, () => undefined)
  return {
    notReady: () => (pool.silentMs() >= toleratedMs ? ['postgres'] : []),
    stop: () => rounds.stop(),
  }
}

import type { Logger } from '@signet/platform/logger/logger'
import type { Ending } from '@signet/revocation-reader/endings'
import type { RevocationObserver } from '@signet/revocation-reader/revocation-reader'
import type { EndingsLog } from '../stores/endings-log.ts'

/** Appends endings to the log whose call committed them and then died before its XADD. */
export interface LogRepair {
  /** What the revocation reader of this process calls. */
  readonly observer: Required<Pick<RevocationObserver, 'polled' | 'logged'>>
  /** Appends what was polled a second ago or earlier and is in no entry read since. Rejects when Redis is away. */
  round(): Promise<void>
}

/** The call that committed an ending appends it within this time. */
const GRACE_MS = 1_000
/**
 * Most endings that are kept of each kind, polled and logged. More polled ones at once are not repaired: readers poll them too.
 * More logged ones cost at most a second entry each. So a round appends 10 entries at most.
 */
const MOST_KEPT = 10_000

interface Polled {
  readonly ending: Ending
  readonly since: number
}

export function createLogRepair(deps: {
  readonly log: Pick<EndingsLog, 'append'>
  /** Milliseconds that have passed, whatever a clock is set to. */
  readonly elapsed: () => number
  readonly logger: Pick<Logger, 'warn'>
}): LogRepair {
  const { log, elapsed, logger } = deps
  const polled = new Map<string, Polled>()
  /** The highest value of each ending that an entry held, oldest first. */
  const logged = new Map<string, number>()
  const isLogged = (key: string, { value }: Ending) => (logged.get(key) ?? 0) >= value

  return {
    observer: {
      polled(endings) {
        for (const ending of endings) {
          const key = keyOf(ending)
          if (isLogged(key, ending) || (polled.get(key)?.ending.value ?? 0) >= ending.value) continue
          if (polled.size < MOST_KEPT) polled.set(key, { ending, since: elapsed() })
        }
      },
      logged(endings) {
        for (const ending of endings) {
          const key = keyOf(ending)
          const value = Math.max(ending.value, logged.get(key) ?? 0)
          logged.delete(key)
          logged.set(key, value)
          if ((polled.get(key)?.ending.value ?? Number.POSITIVE_INFINITY) <= value) polled.delete(key)
        }
        for (const key of logged.keys()) {
          if (logged.size <= MOST_KEPT) break
          logged.delete(key)
        }
      },
    },
    async round() {
      const due = [...polled].filter(([, { since }]) => elapsed() - since >= GRACE_MS)
      if (due.length === 0) return
      await log.append(due.map(([, { ending }]) => ending))
      for (const [key, entry] of due) if (polled.get(key) === entry) polled.delete(key)
      logger.warn('revocation_log_repaired', { count: due.length })
    },
  }
}

function keyOf({ kind, id }: Ending): string {
  return `${kind}${id}`
}

import type { Clock } from '@signet/platform/runtime/clock'

const DAY_MS = 86_400_000

/** The record of the days, in UTC, on which things with an id are used. */
export interface DailyUses {
  /** Notes in memory that it was used. */
  note(id: string): void
  /** Writes the noted ids that this replica has not written today; those of a failed write are written by the next call. */
  write(): Promise<void>
}

/**
 * Creates the record of one replica: `record` is called with at most one use a day of each id, and never by a request. It gets
 * the moment of the call.
 */
export function createDailyUses(
  record: (at: Date, ids: readonly string[]) => Promise<void>,
  now: Clock,
): DailyUses {
  const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS)
  let day = 0
  let written = new Set<string>()
  let noted = new Set<string>()

  return {
    note(id) {
      if (!written.has(id) || dayOf(now()) !== day) noted.add(id)
    },
    async write() {
      const at = now()
      if (dayOf(at) !== day) {
        day = dayOf(at)
        written = new Set()
      }
      if (noted.size === 0) return
      const ids = [...noted]
      noted = new Set()
      try {
        await record(at, ids)
      } catch (error) {
        for (const id of ids) noted.add(id)
        throw error
      }
      for (const id of ids) written.add(id)
    },
  }
}

import type { Clock } from '@signet/platform/runtime/clock'
import { dayOf } from '../partitions/partition-plan.ts'
import type { ClientUseStore } from './client-use.repository.ts'

/** Longer than a client may be unused before it is deleted, with a day for clocks that differ. */
const DAYS_KEPT = 402

/** The record of the days on which clients get tokens. */
export interface ClientUses {
  /** Notes in memory that the client got a token. */
  note(clientId: string): void
  /** Writes the noted clients that this replica has not written today; those of a failed write are written by the next call. */
  write(): Promise<void>
  deleteOld(): Promise<void>
}

/** Creates the record of one replica: at most one row a day and client is written, and none by a request. */
export function createClientUses(
  store: Pick<ClientUseStore, 'record' | 'deleteBefore'>,
  now: Clock,
): ClientUses {
  let day = 0
  let written = new Set<string>()
  let noted = new Set<string>()

  return {
    note(clientId) {
      if (!written.has(clientId) || dayOf(now()) !== day) noted.add(clientId)
    },
    async write() {
      const today = dayOf(now())
      if (today !== day) {
        day = today
        written = new Set()
      }
      if (noted.size === 0) return
      const clientIds = [...noted]
      noted = new Set()
      try {
        await store.record(today, clientIds)
      } catch (error) {
        for (const clientId of clientIds) noted.add(clientId)
        throw error
      }
      for (const clientId of clientIds) written.add(clientId)
    },
    deleteOld: () => store.deleteBefore(dayOf(now()) - DAYS_KEPT),
  }
}

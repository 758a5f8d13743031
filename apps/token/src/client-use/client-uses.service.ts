import type { Clock } from '@signet/platform/runtime/clock'
import { createDailyUses, type DailyUses } from '@signet/service/daily-uses'
import { dayOf } from '../partitions/partition-plan.ts'
import type { ClientUseStore } from './client-use.repository.ts'

/** Longer than a client may be unused before it is deleted, with a day for clocks that differ. */
const DAYS_KEPT = 402

/** The record of the days on which clients get tokens. */
export interface ClientUses extends DailyUses {
  deleteOld(): Promise<void>
}

/** Creates the record of one replica. */
export function createClientUses(
  store: Pick<ClientUseStore, 'record' | 'deleteBefore'>,
  now: Clock,
): ClientUses {
  return {
    ...createDailyUses((at, clientIds) => store.record(dayOf(at), clientIds), now),
    deleteOld: () => store.deleteBefore(dayOf(now()) - DAYS_KEPT),
  }
}

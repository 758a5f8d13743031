import type { Database } from '@signet/platform/postgres/pool'
import type { Epoch } from './epoch.ts'

const KINDS = { u: 'user', c: 'client', o: 'organization' } as const

/** An ending as the tables name its kind. */
export interface EpochRow {
  readonly kind: keyof typeof KINDS | 'p'
  readonly id: string
  readonly epoch: number
}

export function toEpoch({ kind, id, epoch }: EpochRow): Epoch {
  if (kind === 'p') {
    const [userId = '', tokenId = ''] = id.split(' ')
    return { kind: 'personal_access_token', id: tokenId, userId, epoch: 1 }
  }
  return { kind: KINDS[kind], id, epoch }
}

export interface EpochStore {
  /** Removes from the feed what was written longer ago, unless a transaction still runs that began before it. */
  deleteChangesOlderThan(hours: number): Promise<void>
  /** Forgets ids that were given up longer ago. */
  deleteRetiredOlderThan(days: number): Promise<void>
}

export class PostgresEpochStore implements EpochStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async deleteChangesOlderThan(hours: number): Promise<void> {
    const statement = {
      // A scan: hourly, over the rows of a day.
      name: 'ending_change.delete_old',
      text: `DELETE FROM directory.ending_change
              WHERE changed_at < now() - make_interval(hours => $1)
                AND xid < pg_snapshot_xmin(pg_current_snapshot())`,
      values: [hours],
    }
    await this.#database.transaction((tx) => tx.query(statement), { kind: 'background' })
  }

  async deleteRetiredOlderThan(days: number): Promise<void> {
    await this.#database.query({
      name: 'retired_epoch.delete_old', // a scan, hourly
      text: 'DELETE FROM directory.retired_epoch WHERE retired_at < now() - make_interval(days => $1)',
      values: [days],
    })
  }
}

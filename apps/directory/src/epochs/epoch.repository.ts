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

export class EpochStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Removes from the feed what was written longer ago, unless a transaction still runs that began before it. */
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

  /** Forgets ids that were given up longer ago. */
  async deleteRetiredOlderThan(days: number): Promise<void> {
    await this.#database.query({
      name: 'retired_epoch.delete_old', // a scan, hourly
      text: 'DELETE FROM directory.retired_epoch WHERE retired_at < now() - make_interval(days => $1)',
      values: [days],
    })
  }
}

/** Contains no transaction, so that everything is newer. */
const EMPTY_SNAPSHOT = '1:1:'

/** Identifier of the server and its timeline: a standby that was promoted has another timeline. */
const HISTORY = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

interface Round {
  readonly snapshot: string
  readonly history: string
  readonly isOlder: boolean
  readonly changed: number
}

/**
 * Creates a reader of `grants_read.revocation_v1`. A round raises epochs to those published there, and deletes
 * personal access tokens that ended there, of all rows that the snapshot of the last round did not contain. It
 * returns how many objects it changed: more than 0 only after a fail-over to a server that lacked the directory's own
 * change. Every replica may run it.
 */
export function createFollowPublishedEndings(
  database: Pick<Database, 'query' | 'transaction'>,
): () => Promise<number> {
  let seen = EMPTY_SNAPSHOT
  let history = ''
  let hasFailed = false
  return async () => {
    const statement = {
      name: 'published_ending.follow', // the index of grants.revocation on xid
      text: `SELECT pg_current_snapshot()::text AS snapshot, ${HISTORY} AS history,
                    pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot) AS "isOlder",
                    directory.follow_endings($1::pg_snapshot) AS changed`,
      values: [seen],
    }
    // The first round, and one after a promotion or a failure, may read the endings of a day. The others read those of a second.
    const mayTakeLong = seen === EMPTY_SNAPSHOT || hasFailed
    hasFailed = true
    const { rows } = mayTakeLong
      ? await database.transaction((tx) => tx.query<Round>(statement), { kind: 'background' })
      : await database.query<Round>(statement)
    hasFailed = false
    const [round] = rows
    if (round === undefined) return 0
    // A promoted server uses the numbers of the transactions that it lost for others: the next round reads all rows.
    const isOtherHistory = round.isOlder || (history !== '' && round.history !== history)
    history = round.history
    seen = isOtherHistory ? EMPTY_SNAPSHOT : round.snapshot
    return round.changed
  }
}

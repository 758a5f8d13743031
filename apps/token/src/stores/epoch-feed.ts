import type { Queryable } from '@signet/postgres/pool'
import type { RaisedEpoch } from '../revocation/published-epoch.ts'

/** A place in the feed: the oldest transaction that was still running when it was read. */
export type FeedPosition = string

export interface EpochFeed {
  /** Epochs committed since the position, some of them twice rather than one of them never. */
  read(): Promise<{ readonly epochs: readonly RaisedEpoch[]; readonly next: FeedPosition }>
  advance(position: FeedPosition): void
}

type Row = Omit<RaisedEpoch, 'epoch'> & { readonly epoch: number }

/** Follows `directory_read.epoch_change_v1` from its oldest row on; ending something twice is harmless. */
export class PostgresEpochFeed implements EpochFeed {
  readonly #database: Queryable
  #position: FeedPosition = '0'

  constructor(database: Queryable) {
    this.#database = database
  }

  async read() {
    const { rows } = await this.#database.query<{ next: FeedPosition; epochs: readonly Row[] | null }>({
      // epoch_change (xid). One statement, so that rows and the horizon come from one snapshot.
      name: 'epoch_change.since',
      text: `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next,
                    (SELECT jsonb_agg(jsonb_build_object('kind', e.kind, 'id', e.id, 'epoch', e.epoch))
                       FROM (SELECT kind, id, max(epoch) AS epoch FROM directory_read.epoch_change_v1
                              WHERE xid >= $1::xid8 GROUP BY kind, id) AS e) AS epochs`,
      values: [this.#position],
    })
    const row = rows[0]
    if (row === undefined) throw new Error('the epoch feed answered nothing')
    return { epochs: row.epochs ?? [], next: row.next }
  }

  advance(position: FeedPosition): void {
    this.#position = position
  }
}

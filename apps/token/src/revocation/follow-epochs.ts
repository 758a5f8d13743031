import type { Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { createGroupedCall } from '@signet/platform/runtime/in-groups'
import type { DirectoryEnding, EndingStore } from '../ending-store.ts'
import type { PublishEndings } from './revocation-log-writer.ts'

/** An ending of the directory, and whether the token service has already stored it. */
interface FedEnding extends DirectoryEnding {
  readonly isRecorded: boolean
}

interface DirectoryFeed {
  /** Returns the endings that the snapshot of the position does not contain, and the snapshot of this read. */
  read(): Promise<{ readonly endings: readonly FedEnding[]; readonly next: string }>
  /** Sets the position. */
  advance(snapshot: string): void
}

interface FeedRow {
  readonly next: string
  readonly endings: readonly FedEnding[]
  readonly history: string
  readonly isOlder: boolean
}

/** SQL: the id of the database system and its timeline, which changes with the promotion of a standby. */
const HISTORY = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/**
 * Follows `directory_read.ending_change_v1`: reads first all rows, then the rows that the snapshot of the last read does not
 * contain, so that it also finds an ending whose commit becomes visible late.
 */
export class PostgresDirectoryFeed implements DirectoryFeed {
  readonly #database: Queryable
  #snapshot: string | null = null
  #history: string | undefined

  constructor(database: Queryable) {
    this.#database = database
  }

  async read(): ReturnType<DirectoryFeed['read']> {
    const { rows } = await this.#database.query<FeedRow>({
      // ending_change_xid; revocation_by_id. One statement, so that the rows and the next snapshot belong together. Rows that
      // pg_dump carried over from another server may have higher transaction ids than this one has reached, and would
      // be in no snapshot: only the first read returns them.
      name: 'ending_change.since',
      text: `SELECT pg_current_snapshot()::text AS next, ${HISTORY} AS history,
                    coalesce(pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::text::pg_snapshot), false) AS "isOlder",
                    coalesce(jsonb_agg(jsonb_build_object(
                      'kind', e.kind, 'id', e.id, 'epoch', e.value, 'isRecorded', EXISTS (
                        SELECT FROM grants.revocation r
                         WHERE r.kind = e.kind AND r.id = e.id AND r.value >= e.value))), '[]') AS endings
               FROM (SELECT kind, id, max(value) AS value FROM (
                       SELECT kind, id, value FROM directory_read.ending_change_v1 WHERE $1::text IS NULL
                        UNION ALL
                       SELECT kind, id, value FROM directory_read.ending_change_v1
                        WHERE xid >= pg_snapshot_xmax($1::text::pg_snapshot)
                          AND xid < pg_snapshot_xmax(pg_current_snapshot())
                        UNION ALL
                       SELECT kind, id, value FROM directory_read.ending_change_v1
                        WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot)))
                     ) AS missed WHERE value > 0 GROUP BY kind, id) AS e`,
      values: [this.#snapshot],
    })
    const row = rows[0]
    if (row === undefined) throw new Error('the feed of the directory returned no row')
    const { next, endings, history, isOlder } = row
    const isOther = isOlder || (this.#history !== undefined && this.#history !== history)
    this.#history = history
    if (!isOther || this.#snapshot === null) return { next, endings }
    // A promoted server gives the numbers of lost transactions to new ones, so all rows are read again.
    this.#snapshot = null
    return this.read()
  }

  advance(snapshot: string): void {
    this.#snapshot = snapshot
  }
}

/**
 * Polls the directory's endings once. The directory publishes each ending itself before it responds. This function
 * publishes those that a crashed process of the directory did not publish, so that a crash delays an ending by a
 * second and never loses it.
 */
export async function followDirectory(deps: {
  readonly feed: DirectoryFeed
  readonly endByDirectory: EndByDirectory
  readonly endings: Pick<EndingStore, 'queueLogouts'>
  readonly now: Clock
}): Promise<void> {
  const { endings, next } = await deps.feed.read()
  await deps.endByDirectory(endings.filter(({ isRecorded }) => !isRecorded))
  // Queued here and not in the call that ends an organization, which may have too many sessions.
  await deps.endings.queueLogouts(endings, deps.now())
  // Advances only after the publication, so that unpublished endings are read again.
  deps.feed.advance(next)
}

/** Records and publishes endings of the directory. When it resolves, all processes refuse the tokens that they end. */
export type EndByDirectory = (endings: readonly DirectoryEnding[]) => Promise<void>

/** A limit, since each personal access token takes an advisory lock and PostgreSQL has some thousand locks by default. */
const ENDINGS_PER_TRANSACTION = 500

export function createEndByDirectory(deps: {
  readonly endings: Pick<EndingStore, 'endByDirectory'>
  readonly publish: PublishEndings
  readonly now: Clock
}): EndByDirectory {
  // Batched, so that concurrent calls do not wait in many transactions for the lock of one row.
  return createGroupedCall(
    Number.POSITIVE_INFINITY,
    async (calls: readonly (readonly DirectoryEnding[])[]) => {
      const highest = new Map<string, DirectoryEnding>()
      for (const ending of calls.flat()) {
        const key = `${ending.kind}${ending.id}`
        if ((highest.get(key)?.epoch ?? -1) < ending.epoch) highest.set(key, ending)
      }
      const all = [...highest.values()]
      for (let start = 0; start < all.length; start += ENDINGS_PER_TRANSACTION) {
        const part = all.slice(start, start + ENDINGS_PER_TRANSACTION)
        await deps.publish(await deps.endings.endByDirectory(part, deps.now()))
      }
      return calls.map(() => undefined)
    },
  )
}

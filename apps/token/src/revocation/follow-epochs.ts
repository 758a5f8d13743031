import type { Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { inGroups } from '@signet/platform/runtime/in-groups'
import type { DirectoryEnding, EndingStore } from './ending-store.ts'
import type { PublishEndings } from './revocation-log.ts'

/** An ending of the directory, and whether a row stands for it already. */
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

/** Which server it is, and its timeline: a standby that was promoted has another one. */
const HISTORY = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/**
 * Follows `directory_read.ending_change_v1`: first all of its rows, then what the snapshot of the last read does not
 * contain, so that an ending whose commit becomes visible late is found.
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
      // ending_change_xid; revocation_by_id. One statement, so that rows and the next snapshot are of one moment. Rows that
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
    // A promoted server uses the numbers of the transactions that it lost for others: all rows are read again.
    this.#snapshot = null
    return this.read()
  }

  advance(snapshot: string): void {
    this.#snapshot = snapshot
  }
}

/**
 * One poll of the directory's endings. The directory publishes each of them itself before it responds; this publishes
 * those whose publisher died before, so that a crash delays an ending by a second and never loses it.
 */
export async function followDirectory(deps: {
  readonly feed: DirectoryFeed
  readonly endByDirectory: EndByDirectory
  readonly endings: Pick<EndingStore, 'queueLogouts'>
  readonly now: Clock
}): Promise<void> {
  const { endings, next } = await deps.feed.read()
  await deps.endByDirectory(endings.filter(({ isRecorded }) => !isRecorded))
  // Not in the call that ends an organization: there may be too many sessions to wait for.
  await deps.endings.queueLogouts(endings, deps.now())
  // Moves on after the publication: endings that could not be published are read again.
  deps.feed.advance(next)
}

/** Records and publishes endings of the directory; when it resolves, nothing that they end is active anywhere. */
export type EndByDirectory = (endings: readonly DirectoryEnding[]) => Promise<void>

/** Each personal access token takes an advisory lock, and a default PostgreSQL has room for some thousand locks. */
const ENDINGS_PER_TRANSACTION = 500

export function createEndByDirectory(deps: {
  readonly endings: Pick<EndingStore, 'endByDirectory'>
  readonly publish: PublishEndings
  readonly now: Clock
}): EndByDirectory {
  // Many calls at once cost one transaction after the other instead of a queue of them behind the lock of one row.
  return inGroups(Number.POSITIVE_INFINITY, async (calls: readonly (readonly DirectoryEnding[])[]) => {
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
  })
}

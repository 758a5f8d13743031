import type { Logger } from '@signet/platform/logger/logger'
import type { Queryable } from '@signet/platform/postgres/pool'

/** Identifier of the server and its timeline: a standby that was promoted has another timeline. */
const HISTORY = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/** More than this at once and dropping everything is cheaper than looking at each. */
const MOST_CHANGES = 5_000

/**
 * The ids that changed, by kind; `overflow`: everything may have changed, since there are too many changes, or this is the
 * first poll of a server or of its history after a promotion or a restore.
 */
export type Changes =
  | { readonly overflow: true }
  | { readonly overflow: false; readonly ids: ReadonlyMap<string, ReadonlySet<string>> }

/** Caches of rows, which drop those that changed. */
export interface Follower {
  apply(changes: Changes): void
}

/**
 * Reads `directory_read.change_v1`. Each poll takes every row that the snapshot of the previous poll did not contain,
 * so a row that is committed late is seen by the next one, and each row is seen once.
 */
export class ChangeFeed {
  readonly #database: Queryable
  #snapshot: string | null = null
  #server = ''

  constructor(database: Queryable) {
    this.#database = database
  }

  async read(): Promise<Changes> {
    const { rows } = await this.#database.query<ChangeRow>({
      // The ORDER BY makes the planner use the index on change_xid: a plan that was made when the feed was empty
      // would read all of it. A snapshot lacks the transactions that ran then or began later. One statement, so that
      // the rows and the next snapshot are of one moment.
      name: 'directory_reader.change',
      text: `SELECT snapshot, server, c.kind, c.id
               FROM (SELECT pg_current_snapshot()::text AS snapshot, ${HISTORY} AS server) AS always
               LEFT JOIN LATERAL (
                 (SELECT kind, id FROM directory_read.change_v1
                   WHERE xid >= pg_snapshot_xmax($1::text::pg_snapshot) ORDER BY xid LIMIT $2)
                 UNION ALL
                 (SELECT kind, id FROM directory_read.change_v1
                   WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot))) ORDER BY xid LIMIT $2)
               ) c ON true`,
      values: [this.#snapshot, MOST_CHANGES + 1],
    })
    const [before, server] = [this.#snapshot, this.#server]
    this.#snapshot = rows[0]?.snapshot ?? null
    this.#server = rows[0]?.server ?? ''
    const changes = rows.filter(isChange)
    const isOtherHistory =
      server !== this.#server || nextTransaction(before) > nextTransaction(this.#snapshot)
    if (isOtherHistory || changes.length > MOST_CHANGES) return { overflow: true }
    return { overflow: false, ids: byKind(changes) }
  }
}

/** The number that follows the last transaction of a snapshot, `xmin:xmax:xip_list`. */
function nextTransaction(snapshot: string | null): bigint {
  return BigInt(snapshot?.split(':')[1] ?? 0)
}

interface Change {
  readonly kind: string
  readonly id: string
}
type ChangeRow = Position & (Change | { readonly kind: null })
interface Position {
  readonly snapshot: string
  readonly server: string
}

function isChange(row: ChangeRow): row is Position & Change {
  return row.kind !== null
}

function byKind(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { kind, id } of changes) {
    const known = ids.get(kind)
    if (known) known.add(id)
    else ids.set(kind, new Set([id]))
  }
  return ids
}

export interface FeedPoller {
  /** Calls the function with what each later poll finds. */
  follow(apply: (changes: Changes) => void): void
  /** Polls after the running poll. Rejects when it fails. */
  poll(): Promise<void>
  /** Ends the timer and waits for a running poll. */
  stop(): Promise<void>
}

interface FeedPollerOptions {
  readonly database: Queryable
  /** docs/spec 2.2: 500 ms when left out, so that a change is effective in every process within one second. */
  readonly intervalMs?: number
  readonly logger: Logger
}

/** Polls at once and then `intervalMs` after each poll ended. An outage is logged when it begins and when it ends. */
export function startFeedPoller({ database, intervalMs = 500, logger }: FeedPollerOptions): FeedPoller {
  const feed = new ChangeFeed(database)
  const followers: ((changes: Changes) => void)[] = []
  const poll = async () => {
    const changes = await feed.read()
    for (const apply of followers) apply(changes)
  }
  let stopped = false
  let failing = false
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  // One at a time: two looks in flight could apply their findings in the wrong order.
  function next(): Promise<void> {
    last = last.catch(() => undefined).then(poll)
    return last
  }

  async function tick(): Promise<void> {
    try {
      await next()
      if (failing) logger.info('change_feed_recovered')
      failing = false
    } catch (error) {
      if (!failing && !stopped) logger.warn('change_feed_failed', { error })
      failing = true
    }
    if (!stopped) timer = setTimeout(() => void tick(), intervalMs)
  }

  void tick()
  return {
    follow: (apply) => void followers.push(apply),
    poll: next,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await last.catch(() => undefined)
    },
  }
}

import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'

/** docs/spec 2.2: an older row is not served, even when the change feed fails. */
export const MAX_AGE_MS = 60_000
/** A row in use is read again while it may still be given, so that it outlasts an outage of the rest of its minute. */
const REREAD_AGE_MS = 30_000
/** A failed read is not repeated at every request. */
const REREAD_INTERVAL_MS = 1_000
/** Long enough to limit the queries of a client that guesses ids, short enough for a new row to appear soon. */
const MAX_ABSENCE_AGE_MS = 2_000
const MAX_ROWS = 20_000
const MAX_ABSENCES = 5_000

interface RowCacheOptions<Row> {
  /** Whether a row may exist under an id. Another id is unknown without a query, and its absence is not cached. */
  readonly accepts: (id: string) => boolean
  readonly load: (id: string) => Promise<Row | undefined>
  /** Milliseconds of a clock that only moves forward: a wall clock that is set back would keep old rows. */
  readonly elapsed: () => number
  /** The most that all rows together may have, and how much of it one row has; 20,000 rows when left out. */
  readonly limit?: { readonly total: number; readonly of: (row: Row) => number }
}

interface KnownRow<Row> {
  readonly row: Row
  readonly readAt: number
  rereadFrom: number
}

/**
 * Rows by id, each at most 60 seconds old; absence is cached for two. Concurrent misses of one id share a query. A
 * row that is used after 30 seconds is read again in the background, so that rows in use cause no wait and stay
 * available for 30 seconds without the database. A row that was read while an invalidation arrived is returned to the
 * waiting callers but not cached: it may have been read before the change.
 */
export class RowCache<Row> {
  readonly #accepts: (id: string) => boolean
  readonly #load: (id: string) => Promise<Row | undefined>
  readonly #elapsed: () => number
  readonly #rows: LRUCache<string, KnownRow<Row>>
  readonly #absences = new LRUCache<string, number>({ maxSize: MAX_ABSENCES, sizeCalculation: () => 1 })
  readonly #loads = new Map<string, Promise<Row | undefined>>()
  #generation = 0

  constructor({ accepts, load, elapsed, limit = { total: MAX_ROWS, of: () => 1 } }: RowCacheOptions<Row>) {
    // By size, since `max` allocates the whole cache at the start: 6 MB for the caches of one reader.
    this.#rows = new LRUCache({ maxSize: limit.total, sizeCalculation: ({ row }) => limit.of(row) })
    this.#accepts = accepts
    this.#load = load
    this.#elapsed = elapsed
  }

  async get(id: string): Promise<Row | undefined> {
    const now = this.#elapsed()
    const known = this.#rows.get(id)
    if (known !== undefined && now - known.readAt < MAX_AGE_MS) {
      if (now >= known.rereadFrom) this.#reread(id, known, now)
      return known.row
    }
    if (!this.#accepts(id)) return undefined
    const absentSince = this.#absences.get(id)
    if (absentSince !== undefined && now - absentSince < MAX_ABSENCE_AGE_MS) return undefined
    const running = this.#loads.get(id)
    if (running !== undefined) return running
    const load = this.#fetch(id, now)
    this.#loads.set(id, load)
    try {
      return await load
    } finally {
      if (this.#loads.get(id) === load) this.#loads.delete(id)
    }
  }

  /** When a row was read, in milliseconds of `elapsed`; undefined for one that is not what `get` would give without a query. */
  readAt(id: string, row: Row): number | undefined {
    const known = this.#rows.get(id)
    return known?.row === row ? known.readAt : undefined
  }

  /** The ids of the rows that `get` may give without a query. */
  ids(): readonly string[] {
    return [...this.#rows.keys()]
  }

  /** Drops the rows that `isStale` selects, and every cached absence: a missing row may exist now. */
  drop(isStale: (row: Row) => boolean): void {
    this.#detachLoads()
    for (const [id, { row }] of this.#rows.entries()) if (isStale(row)) this.#rows.delete(id)
  }

  clear(): void {
    this.#detachLoads()
    this.#rows.clear()
  }

  /** Later callers start a query of their own; the results of the running ones are not cached. */
  #detachLoads(): void {
    this.#generation += 1
    this.#loads.clear()
    this.#absences.clear()
  }

  #reread(id: string, known: KnownRow<Row>, now: number): void {
    known.rereadFrom = now + REREAD_INTERVAL_MS
    // No caller waits for it, and the feed poller logs an outage. A caller after the minute gets the error.
    this.#fetch(id, now).catch(() => undefined)
  }

  async #fetch(id: string, readAt: number): Promise<Row | undefined> {
    const generation = this.#generation
    const row = await this.#load(id)
    if (generation !== this.#generation) return row
    if (row === undefined) {
      this.#rows.delete(id)
      this.#absences.set(id, readAt)
    } else {
      this.#absences.delete(id)
      this.#rows.set(id, { row, readAt, rereadFrom: readAt + REREAD_AGE_MS })
    }
    return row
  }
}

type LoadMany<Row> = (ids: readonly string[]) => Promise<readonly Row[]>

/** More than a busy process is asked for in one turn; a query of any size would keep others waiting. */
const MOST_IDS = 200

/**
 * Answers calls for single rows by one query for all calls of one turn of the event loop. Where each request is about
 * another user, the round trips cost a process more than the requests do. Each row is read after its call; a query
 * that fails fails all its callers.
 */
export function createBatchedQuery<Row>(
  idOf: (row: Row) => string,
  loadMany: LoadMany<Row>,
): (id: string) => Promise<Row | undefined> {
  const loader = new DataLoader<string, Row | undefined>(
    async (ids) => {
      const rows = new Map((await loadMany(ids)).map((row) => [idOf(row), row]))
      return ids.map((id) => rows.get(id))
    },
    // Its cache would keep rows for ever; RowCache has its own rules.
    { cache: false, maxBatchSize: MOST_IDS, batchScheduleFn: setImmediate },
  )
  return (id) => loader.load(id)
}

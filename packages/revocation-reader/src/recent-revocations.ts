import type { Queryable } from '@signet/postgres/pool'
import { entryOf, MIRROR_TTL_SECONDS, type RevocationKind } from './mirror-keys.ts'
import { MOST_REVOCATIONS, type RevocationMemory } from './revocation-memory.ts'

/**
 * Brings what was revoked lately from PostgreSQL into memory: a deposed Redis primary that still answers is contradicted
 * as soon as the next poll has seen the revocation.
 */
export interface RecentRevocations {
  /** False while polls cannot see everything, in which case Redis must not be believed alone. */
  current(): boolean
  /** Reads what was committed since the last poll, at first all of it. Rejects with the database's error. */
  poll(): Promise<void>
  /** Reads everything that was committed before the call and can still end something; rejects likewise. */
  load(): Promise<void>
  stop(): void
}

/** Rows are read again for so long after they were made: one may be committed later than a newer one. */
const LATE_COMMIT_SECONDS = 10
/** Without a successful poll for so long, what is in memory says too little. */
const CURRENT_FOR_MS = 10_000

interface Row {
  readonly kind: RevocationKind
  readonly id: string
  readonly value: number
  readonly revoked_at: Date
}

export function followRecentRevocations(database: Queryable, memory: RevocationMemory): RecentRevocations {
  let newest: Date | undefined
  let current = false
  let expiry: NodeJS.Timeout | undefined

  function stayCurrent(): void {
    clearTimeout(expiry)
    expiry = setTimeout(() => {
      current = false
    }, CURRENT_FOR_MS).unref()
    current = true
  }

  /** The newest of what was revoked after a moment, or of everything. False when that was more than is remembered. */
  async function read(after: Date | null): Promise<boolean> {
    const { rows } = await database.query<Row>({
      // revocation_by_time in each of the few daily partitions
      name: 'revocation.recent',
      text: `SELECT kind, id, value, revoked_at FROM grants_read.revocation_v1
              WHERE revoked_at > coalesce($1::timestamptz - interval '${LATE_COMMIT_SECONDS} seconds',
                                          clock_timestamp() - interval '${MIRROR_TTL_SECONDS} seconds')
              ORDER BY revoked_at DESC LIMIT ${MOST_REVOCATIONS}`,
      values: [after],
    })
    for (const row of rows.toReversed()) memory.keep(entryOf(row), row.value)
    newest = rows[0]?.revoked_at ?? newest
    return rows.length < MOST_REVOCATIONS
  }

  async function load(): Promise<void> {
    const { givenUp } = memory
    const all = await read(null)
    if (all && memory.givenUp === givenUp) memory.holdsAll()
    else memory.lacksSome()
    stayCurrent()
  }

  return {
    current: () => current,
    async poll() {
      if (newest === undefined) return load()
      // A burst that did not fit may have pushed out what nobody has seen yet.
      if (await read(newest)) return stayCurrent()
      memory.lacksSome()
      current = false
    },
    load,
    stop: () => clearTimeout(expiry),
  }
}

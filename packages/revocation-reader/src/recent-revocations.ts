import type { Queryable } from '@signet/postgres/pool'
import { endsMark, type Mark, type RevocationKind } from './mirror-keys.ts'

/**
 * What was revoked lately, read from PostgreSQL and kept in memory: a deposed Redis primary that still answers
 * is contradicted as soon as the next poll has seen the revocation.
 */
export interface RecentRevocations {
  /** Whether any of the marks was ended by a revocation that a poll has seen. */
  anyEnded(marks: readonly Mark[]): boolean
  /** False while polls cannot see everything, in which case the mirror must not be believed alone. */
  current(): boolean
  /** Reads what was committed since the last poll, at first everything that fits. Rejects with the database's error. */
  poll(): Promise<void>
  stop(): void
}

/** Rows are read again for so long after they were made: one may be committed later than a newer one. */
const LATE_COMMIT_SECONDS = 10
/** Without a successful poll for so long, what is in memory says too little. */
const CURRENT_FOR_MS = 10_000
/** Most entries in memory, the newest; about 4 MB. */
const MOST_ENTRIES = 20_000

interface Row {
  readonly kind: RevocationKind
  readonly id: string
  readonly value: number
  readonly revoked_at: Date
}

export function followRecentRevocations(database: Queryable): RecentRevocations {
  /** The least recent first. They outlive the poll's window, because a deposed primary may. */
  const values = new Map<string, number>()
  let newest: Date | undefined
  let current = false
  let expiry: NodeJS.Timeout | undefined

  function keep({ kind, id, value }: Row): void {
    const key = keyOf(kind, id)
    const known = values.get(key)
    values.delete(key)
    values.set(key, Math.max(value, known ?? value))
  }

  function stayCurrent(): void {
    clearTimeout(expiry)
    expiry = setTimeout(() => {
      current = false
    }, CURRENT_FOR_MS).unref()
    current = true
  }

  return {
    anyEnded(marks) {
      if (values.size === 0) return false
      return marks.some((mark) => {
        const value = values.get(keyOf(mark.kind, mark.id))
        return value !== undefined && endsMark(mark, value)
      })
    },
    current: () => current,
    async poll() {
      const { rows } = await database.query<Row>({
        // revocation_by_time in each of the few daily partitions
        name: 'revocation.recent',
        text: `SELECT kind, id, value, revoked_at FROM grants_read.revocation_v1
                WHERE revoked_at > coalesce($1::timestamptz - interval '${LATE_COMMIT_SECONDS} seconds', '-infinity')
                ORDER BY revoked_at DESC LIMIT ${MOST_ENTRIES}`,
        values: [newest ?? null],
      })
      for (const row of rows.toReversed()) keep(row)
      for (const key of values.keys()) {
        if (values.size <= MOST_ENTRIES) break
        values.delete(key)
      }
      // A burst that did not fit may have pushed out what nobody has seen yet.
      const sawAll = newest === undefined || rows.length < MOST_ENTRIES
      newest = rows[0]?.revoked_at ?? newest
      if (sawAll) stayCurrent()
      else current = false
    },
    stop: () => clearTimeout(expiry),
  }
}

function keyOf(kind: RevocationKind, id: string): string {
  return `${kind}:${id}`
}

import type { Queryable } from '@signet/postgres/pool'

/** More than this at once and dropping everything is cheaper than looking at each. */
const MOST_CHANGES = 5_000

/** The ids that changed, by kind; `overflow`: too many to tell, or the first look: everything may have changed. */
export type Changes =
  | { readonly overflow: true }
  | { readonly overflow: false; readonly ids: ReadonlyMap<string, ReadonlySet<string>> }

/**
 * Reads `directory_read.change_v1`. Each look takes every row at or above the oldest transaction that was still
 * running at the look before, so a row that is committed late, in whatever order, is seen by the next one.
 */
export class ChangeFeed {
  readonly #database: Queryable
  #horizon: string | null = null
  #seen: ReadonlySet<number> = new Set()

  constructor(database: Queryable) {
    this.#database = database
  }

  async read(): Promise<Changes> {
    const { rows } = await this.#database.query<ChangeRow>({
      // change_xid, which the order asks for: a plan that was made when the feed was empty would read all of it.
      name: 'directory_reader.change',
      text: `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, c.seq, c.kind, c.id
               FROM (SELECT 1) AS always
               LEFT JOIN LATERAL (SELECT seq, kind, id FROM directory_read.change_v1
                                   WHERE xid >= $1::text::xid8 ORDER BY xid LIMIT $2) c ON true`,
      values: [this.#horizon, MOST_CHANGES + 1],
    })
    const first = this.#horizon === null
    this.#horizon = rows[0]?.horizon ?? null
    const changes = rows.filter(isChange)
    if (first || changes.length > MOST_CHANGES) {
      this.#seen = new Set()
      return { overflow: true }
    }
    // While a long transaction runs the same rows come again and again; each counts once.
    const fresh = changes.filter(({ seq }) => !this.#seen.has(seq))
    this.#seen = new Set(changes.map(({ seq }) => seq))
    return { overflow: false, ids: byKind(fresh) }
  }
}

interface Change {
  readonly seq: number
  readonly kind: string
  readonly id: string
}
type ChangeRow = { readonly horizon: string } & (Change | { readonly seq: null })

function isChange(row: ChangeRow): row is { readonly horizon: string } & Change {
  return row.seq !== null
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

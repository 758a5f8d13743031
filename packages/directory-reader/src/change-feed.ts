import type { Queryable } from '@signet/postgres/pool'

/** More than this at once and dropping everything is cheaper than looking at each. */
const MOST_CHANGES = 5_000

/** The ids that changed, by kind; `overflow`: too many to tell, or the first look: everything may have changed. */
export type Changes =
  | { readonly overflow: true }
  | { readonly overflow: false; readonly ids: ReadonlyMap<string, ReadonlySet<string>> }

/**
 * Reads `directory_read.change_v1`. Each look takes every row that the snapshot of the look before did not contain, so a
 * row that is committed late, in whatever order, is seen by the next one, and each row is seen once.
 */
export class ChangeFeed {
  readonly #database: Queryable
  #snapshot: string | null = null

  constructor(database: Queryable) {
    this.#database = database
  }

  async read(): Promise<Changes> {
    const { rows } = await this.#database.query<ChangeRow>({
      // change_xid, which the orders ask for: a plan that was made when the feed was empty would read all of it. What a
      // snapshot lacks is of transactions that ran then or began later. One statement, so that rows and the next
      // snapshot are of one moment.
      name: 'directory_reader.change',
      text: `SELECT pg_current_snapshot()::text AS snapshot, c.kind, c.id
               FROM (SELECT 1) AS always
               LEFT JOIN LATERAL (
                 (SELECT kind, id FROM directory_read.change_v1
                   WHERE xid >= pg_snapshot_xmax($1::text::pg_snapshot) ORDER BY xid LIMIT $2)
                 UNION ALL
                 (SELECT kind, id FROM directory_read.change_v1
                   WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot))) ORDER BY xid LIMIT $2)
               ) c ON true`,
      values: [this.#snapshot, MOST_CHANGES + 1],
    })
    const first = this.#snapshot === null
    this.#snapshot = rows[0]?.snapshot ?? null
    const changes = rows.filter(isChange)
    if (first || changes.length > MOST_CHANGES) return { overflow: true }
    return { overflow: false, ids: byKind(changes) }
  }
}

interface Change {
  readonly kind: string
  readonly id: string
}
type ChangeRow = { readonly snapshot: string } & (Change | { readonly kind: null })

function isChange(row: ChangeRow): row is { readonly snapshot: string } & Change {
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

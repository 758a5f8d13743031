import type { Queryable } from '@signet/platform/postgres/pool'
import { AUDIT_CHAINS, type AuditChain } from '@signet/tokens/audit-head'
import type { AuditChainReader, AuditSegment, ChainPage, ChainPosition, SealedRow } from './audit-chain.ts'

const microseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint`
const moment = (place: string) => `timestamptz 'epoch' + ${place} * interval '1 microsecond'`

interface SegmentRow extends Omit<AuditSegment, 'rows'> {
  readonly hashes: string | null
  readonly rows: readonly (readonly [id: string, at: number, content: string | null])[] | null
}

/**
 * Number of rows at which a response is full: it has segments until these have so many rows. A quiet log has segments
 * of one row, so their number is bounded too.
 */
const ROWS_AT_ONCE = 5_000
const SEGMENTS_AT_ONCE = 1_000
/** Bytes of SHA-256, as characters of hexadecimal. */
const HASH_LENGTH = 64

function toSegment({ hashes, rows, ...segment }: SegmentRow): AuditSegment {
  if (rows === null) return segment
  const toRow = ([id, at, content]: readonly [string, number, string | null], n: number): SealedRow => ({
    ...{ id, at, hash: (hashes ?? '').slice(n * HASH_LENGTH, (n + 1) * HASH_LENGTH) },
    ...(content !== null && { content }),
  })
  return { ...segment, rows: rows.map(toRow) }
}

export class PostgresAuditChainReader implements AuditChainReader {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async chains() {
    const { rows } = await this.#database.query<{ chain: AuditChain }>({
      name: 'audit_chain.list', // catalogue
      text: `SELECT chain FROM unnest($1::text[]) AS chain
              WHERE EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                             WHERE n.nspname = chain || '_audit' AND c.relname = 'segment')`,
      values: [AUDIT_CHAINS],
    })
    return rows.map(({ chain }) => chain)
  }

  async head(chain: AuditChain) {
    const { rows } = await this.#database.query<{ jws: string | null }>({
      name: `audit_chain.head_${chain}`, // one row
      text: `SELECT jws FROM ${chain}_audit.head`,
    })
    return rows[0]?.jws ?? undefined
  }

  async unsealed(chain: AuditChain) {
    const { rows } = await this.#database.query<{ count: number }>({
      name: `audit_chain.count_unsealed_${chain}`, // the rows of a few seconds
      text: `SELECT count(*) AS count FROM ${chain}_audit.unsealed`,
    })
    return rows[0]?.count ?? 0
  }

  segmentsWithRows(chain: AuditChain, after: number) {
    return this.#segments(chain, 'segments_with_rows', after)
  }

  async #segments(chain: AuditChain, wanted: 'segments' | 'segments_with_rows', after: number) {
    const { rows } = await this.#database.query<SegmentRow>({
      name: `audit_chain.${wanted}_${chain}`, // primary keys of segment and of the partitions
      text: `SELECT s.number, ${microseconds('s.sealed_at')} AS "sealedAt", s.row_count AS "rowCount",
                    ${microseconds('s.first_at')} AS "firstAt", ${microseconds('s.last_at')} AS "lastAt",
                    encode(s.rows_hash, 'hex') AS "rowsHash", encode(s.previous, 'hex') AS previous,
                    encode(s.hash, 'hex') AS hash, encode(s.hashes, 'hex') AS hashes,
                    (SELECT jsonb_agg(jsonb_build_array(r.id, ${microseconds('r.at')},
                                        (SELECT ${chain}_audit.content(e) FROM ${chain}_audit.audit_event e
                                          WHERE e.at = r.at AND e.id = r.id)) ORDER BY r.position)
                       FROM unnest(s.ats, s.ids) WITH ORDINALITY AS r (at, id, position)) AS rows
               FROM (SELECT *, sum(row_count) OVER (ORDER BY number) - row_count AS rows_before
                       FROM ${chain}_audit.segment
                      WHERE number > $1 AND ${wanted === 'segments' ? 'true' : 'ids IS NOT NULL'}
                      ORDER BY number LIMIT ${SEGMENTS_AT_ONCE}) s
              WHERE s.rows_before < ${ROWS_AT_ONCE}
              ORDER BY s.number`,
      values: [after],
    })
    return rows.map(toSegment)
  }

  async page(chain: AuditChain, { after, from }: ChainPosition): Promise<ChainPage> {
    const end = await this.#lastNumber(chain)
    const segments = await this.#segments(chain, 'segments', after)
    const last = segments.at(-1)
    const isLast = last === undefined || last.number >= end
    const until = isLast ? undefined : Math.max(from, ...segments.map(({ lastAt }) => lastAt))
    const added = await this.#added(chain, from, until)
    return {
      segments,
      added,
      next: until === undefined ? undefined : { after: last?.number ?? 0, from: until },
    }
  }

  async #lastNumber(chain: AuditChain): Promise<number> {
    const { rows } = await this.#database.query<{ number: number }>({
      name: `audit_chain.last_number_${chain}`, // primary key
      text: `SELECT coalesce(max(number), 0) AS number FROM ${chain}_audit.segment`,
    })
    return rows[0]?.number ?? 0
  }

  /** Rows from a time until another, or until the end of the log, that are neither sealed nor wait for it. */
  async #added(chain: AuditChain, from: number, until: number | undefined): Promise<ChainPage['added']> {
    const { rows } = await this.#database.query<{ id: string; at: number }>({
      name: `audit_chain.added_${chain}`, // primary keys, segment_with_rows
      text: `WITH span AS (SELECT ${moment('$1::bigint')} AS first,
                                  coalesce(${moment('$2::bigint')}, 'infinity') AS last),
                    sealed AS (
                      SELECT r.at, r.id FROM ${chain}_audit.segment s, unnest(s.ats, s.ids) AS r (at, id)
                       WHERE s.ids IS NOT NULL AND s.last_at >= (SELECT first FROM span) AND s.first_at < (SELECT last FROM span))
             SELECT e.id, ${microseconds('e.at')} AS at
               FROM ${chain}_audit.audit_event e
              WHERE e.at >= (SELECT first FROM span) AND e.at < (SELECT last FROM span)
                AND NOT EXISTS (SELECT FROM ${chain}_audit.unsealed u WHERE u.at = e.at AND u.id = e.id)
                AND NOT EXISTS (SELECT FROM sealed r WHERE r.at = e.at AND r.id = e.id)
              ORDER BY e.at, e.id LIMIT 100`,
      values: [from, until ?? null],
    })
    return rows
  }
}

// The audit logs of all services, as far as sealing needs them: functions of the role signet_audit do the writing.

import type { Database } from '@signet/platform/postgres/pool'
import { AUDIT_CHAINS, type AuditChain } from '@signet/tokens/audit-head'

/** The newest segment; number 0 and 64 zeros while there is none. */
interface Newest {
  readonly number: number
  readonly hash: string
}

const NO_SEGMENT: Newest = { number: 0, hash: '0'.repeat(64) }

export class AuditChainStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The logs whose tables exist. */
  async chains(): Promise<readonly AuditChain[]> {
    const { rows } = await this.#database.query<{ chain: AuditChain }>({
      name: 'audit_chain.list', // catalogue
      text: `SELECT chain FROM unnest($1::text[]) AS chain
              WHERE EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                             WHERE n.nspname = chain || '_audit' AND p.proname = 'seal')`,
      values: [AUDIT_CHAINS],
    })
    return rows.map(({ chain }) => chain)
  }

  /**
   * Returns those of the logs for which there is nothing to do, by one statement: no row is unsealed, the newest segment has a stored
   * head that was signed less than `seconds` from `now`, and the segment that this process signed last has the same hash.
   */
  async findQuiet(
    logs: readonly { readonly chain: AuditChain; readonly signedHere: Newest | undefined }[],
    { now, seconds }: { readonly now: Date; readonly seconds: number },
  ): Promise<readonly AuditChain[]> {
    if (logs.length === 0) return []
    const selects = logs.map(({ chain }, at) => {
      const [number, hash] = [`($1::bigint[])[${at + 1}]`, `($2::text[])[${at + 1}]`]
      return `SELECT '${chain}' AS chain FROM ${chain}_audit.head h
               WHERE NOT EXISTS (SELECT FROM ${chain}_audit.unsealed)
                 AND h.number = coalesce((SELECT max(number) FROM ${chain}_audit.segment), 0)
                 AND abs(extract(epoch FROM h.signed_at - $3::timestamptz)) < $4
                 AND (coalesce(${number}, 0) = 0 OR EXISTS (
                   SELECT FROM ${chain}_audit.segment s WHERE s.number = ${number} AND encode(s.hash, 'hex') = ${hash}))`
    })
    const { rows } = await this.#database.query<{ chain: AuditChain }>({
      name: `audit_chain.find_quiet_${logs.map(({ chain }) => chain).join('_')}`, // primary keys, one row each
      text: selects.join(' UNION ALL '),
      values: [
        logs.map(({ signedHere }) => signedHere?.number ?? null),
        logs.map(({ signedHere }) => signedHere?.hash ?? null),
        now,
        seconds,
      ],
    })
    return rows.map(({ chain }) => chain)
  }

  /**
   * Appends a segment of at most `most` committed rows, in one transaction, and returns how many rows it took. Any number of
   * replicas may call it at once: one does it after the other, and each row is in one segment.
   */
  async seal(chain: AuditChain, most: number): Promise<number> {
    // The primary keys of unsealed and of each partition.
    const seal = {
      name: `audit_chain.seal_${chain}`,
      text: `SELECT ${chain}_audit.seal($1) AS count`,
      values: [most],
    }
    const { rows } = await this.#database.transaction((tx) => tx.query<{ count: number }>(seal), {
      kind: 'background',
    })
    return rows[0]?.count ?? 0
  }

  async newest(chain: AuditChain): Promise<Newest> {
    const { rows } = await this.#database.query<Newest>({
      name: `audit_chain.newest_${chain}`, // primary key
      text: `SELECT number, encode(hash, 'hex') AS hash FROM ${chain}_audit.segment ORDER BY number DESC LIMIT 1`,
    })
    return rows[0] ?? NO_SEGMENT
  }

  /** The hash of a segment in hexadecimal; undefined when there is none of that number. */
  async hashOf(chain: AuditChain, number: number): Promise<string | undefined> {
    if (number === 0) return NO_SEGMENT.hash
    const { rows } = await this.#database.query<{ hash: string }>({
      name: `audit_chain.hash_${chain}`, // primary key
      text: `SELECT encode(hash, 'hex') AS hash FROM ${chain}_audit.segment WHERE number = $1`,
      values: [number],
    })
    return rows[0]?.hash
  }

  /** The newest signed segment. */
  async signed(chain: AuditChain): Promise<{ readonly number: number; readonly signedAt: Date | null }> {
    const { rows } = await this.#database.query<{ number: number; signedAt: Date | null }>({
      name: `audit_chain.signed_${chain}`, // one row
      text: `SELECT number, signed_at AS "signedAt" FROM ${chain}_audit.head`,
    })
    return rows[0] ?? { number: 0, signedAt: null }
  }

  /** Stores the signed head, unless a later one is stored. */
  async storeHead(chain: AuditChain, number: number, jws: string): Promise<void> {
    await this.#database.query({
      name: `audit_chain.store_head_${chain}`, // one row
      text: `SELECT ${chain}_audit.store_head($1, $2)`,
      values: [number, jws],
    })
  }

  /** Seconds since the oldest row that is not sealed was written, by the clock of PostgreSQL; 0 without one. */
  async unsealedSeconds(chain: AuditChain): Promise<number> {
    const { rows } = await this.#database.query<{ seconds: number }>({
      name: `audit_chain.unsealed_${chain}`, // primary key
      text: `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)::float8 AS seconds FROM ${chain}_audit.unsealed`,
    })
    return rows[0]?.seconds ?? 0
  }
}

import type { Database } from '@signet/platform/postgres/pool'

/** A sign-in that has begun, as it is stored. */
export interface StoredRequest {
  readonly stateHash: Buffer
  readonly providerId: string
  readonly organizationId: string
  readonly browser: string
  readonly sealed: Buffer
  readonly expiresAt: Date
}

interface Row {
  readonly provider_id: string
  readonly organization_id: string
  readonly browser: string
  readonly sealed: Buffer
  readonly expires_at: Date
}

/** Expired rows that one addition deletes; the job deletes the others. */
const DELETED_BY_ADDITION = 20

export class RequestStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Adds a request unless its provider has `most` that have not expired. Additions at the same time may pass the bound by their number.
   * Returns whether it was added; a state is added once.
   */
  async add(request: StoredRequest, { most, now }: { readonly most: number; readonly now: Date }) {
    const { rowCount } = await this.#database.query({
      name: 'federation.request.add',
      text: `WITH expired AS (
               DELETE FROM federation.request WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM federation.request WHERE expires_at <= $7
                  ORDER BY expires_at LIMIT ${DELETED_BY_ADDITION} FOR UPDATE SKIP LOCKED)))
             INSERT INTO federation.request (state_hash, provider_id, organization_id, browser, sealed, expires_at)
             SELECT $1, $2, $3, $4, $5, $6
              WHERE (SELECT count(*) FROM (SELECT FROM federation.request
                      WHERE provider_id = $2 AND expires_at > $7 LIMIT $8) AS kept) < $8
             ON CONFLICT (state_hash) DO NOTHING`,
      values: [
        ...[request.stateHash, request.providerId, request.organizationId, request.browser],
        ...[request.sealed, request.expiresAt, now, most],
      ],
    })
    return rowCount === 1
  }

  /** Deletes a request and returns it: of all callers in all processes, one gets it. */
  async take(stateHash: Buffer): Promise<StoredRequest | undefined> {
    const { rows } = await this.#database.query<Row>({
      name: 'federation.request.take',
      text: `DELETE FROM federation.request WHERE state_hash = $1
             RETURNING provider_id, organization_id, browser, sealed, expires_at`,
      values: [stateHash],
    })
    const [row] = rows
    return (
      row && {
        stateHash,
        providerId: row.provider_id,
        organizationId: row.organization_id,
        browser: row.browser,
        sealed: row.sealed,
        expiresAt: row.expires_at,
      }
    )
  }

  /** Deletes up to `most` expired requests and returns how many there were. */
  async deleteExpired(now: Date, most: number): Promise<number> {
    const { rowCount } = await this.#database.query({
      name: 'federation.request.delete_expired',
      text: `DELETE FROM federation.request WHERE ctid = ANY (ARRAY(
               SELECT ctid FROM federation.request WHERE expires_at <= $1
                ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      values: [now, most],
    })
    return rowCount
  }
}

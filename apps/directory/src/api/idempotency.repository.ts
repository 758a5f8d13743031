import type { Queryable } from '@signet/platform/postgres/pool'

interface IdempotencyClaim {
  readonly callerId: string
  readonly key: string
  readonly requestDigest: Buffer
  readonly at: Date
}

type ClaimOutcome =
  | { readonly outcome: 'claimed' | 'other_request' }
  | { readonly outcome: 'repeated'; readonly sealedResponse: Buffer }

export class IdempotencyStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Claims the key. One of any number of parallel transactions gets `claimed`; the others wait until it has ended. */
  async claim({ callerId, key, requestDigest, at }: IdempotencyClaim): Promise<ClaimOutcome> {
    const { rowCount } = await this.#database.query({
      name: 'idempotency_key.claim', // primary key
      text: `INSERT INTO directory.idempotency_key (caller_id, key, request_digest, claimed_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (caller_id, key) DO NOTHING`,
      values: [callerId, key, requestDigest, at],
    })
    if (rowCount === 1) return { outcome: 'claimed' }
    const { rows } = await this.#database.query<{ same: boolean; sealedResponse: Buffer }>({
      name: 'idempotency_key.find', // primary key
      text: `SELECT request_digest = $3 AS same, sealed_answer AS "sealedResponse" FROM directory.idempotency_key
              WHERE caller_id = $1 AND key = $2`,
      values: [callerId, key, requestDigest],
    })
    const [row] = rows
    // Deleted in between, because it was claimed a day ago.
    if (row === undefined || !row.same) return { outcome: 'other_request' }
    return { outcome: 'repeated', sealedResponse: row.sealedResponse }
  }

  /** Stores the response of what was claimed in the same transaction. */
  async setResponse({
    callerId,
    key,
    sealedResponse,
  }: {
    readonly callerId: string
    readonly key: string
    readonly sealedResponse: Buffer
  }): Promise<void> {
    await this.#database.query({
      name: 'idempotency_key.keep', // primary key
      text: 'UPDATE directory.idempotency_key SET sealed_answer = $3 WHERE caller_id = $1 AND key = $2',
      values: [callerId, key, sealedResponse],
    })
  }

  async deleteClaimedBefore(at: Date): Promise<void> {
    await this.#database.query({
      name: 'idempotency_key.forget', // idempotency_key_claimed
      text: 'DELETE FROM directory.idempotency_key WHERE claimed_at < $1',
      values: [at],
    })
  }
}

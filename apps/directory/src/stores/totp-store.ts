import type { Queryable } from '@signet/postgres/pool'

export interface TotpStore {
  /** Undefined without one, and for an account that may not sign in. */
  sealedSeed(userId: string): Promise<Buffer | undefined>
  /**
   * Whether this call is the one that may use the codes of this step: true once for each step of an account, whoever
   * asks, and never for a step before one that was used.
   */
  claimStep(userId: string, step: number): Promise<boolean>
}

export class PostgresTotpStore implements TotpStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async sealedSeed(userId: string) {
    const { rows } = await this.#database.query<{ sealed_seed: Buffer }>({
      name: 'account_totp.seed', // primary keys
      text: `SELECT t.sealed_seed
               FROM directory.account_totp t
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o USING (organization_id)
              WHERE t.user_id = $1 AND a.state = 'active' AND o.state = 'active'`,
      values: [userId],
    })
    return rows[0]?.sealed_seed
  }

  async claimStep(userId: string, step: number) {
    const { rowCount } = await this.#database.query({
      name: 'account_totp.claim_step', // primary key
      text: 'UPDATE directory.account_totp SET last_step = $2 WHERE user_id = $1 AND last_step < $2',
      values: [userId, step],
    })
    return rowCount === 1
  }
}

import type { AuditEvent } from '@signet/audit-trail/audit-event'
import type { Database } from '@signet/postgres/pool'
import { trail } from './audit-trail.ts'

export interface StoredTotp {
  readonly organizationId: string
  readonly sealedSeed: Buffer
}

export interface TotpStore {
  /** Undefined without one, and for an account that may not sign in. */
  find(userId: string): Promise<StoredTotp | undefined>
  /**
   * Whether this call is the one that may use the codes of this step: true once for each step of an account, whoever
   * asks, and never for a step before one that was used. Then the event is stored with it.
   */
  claimStep(userId: string, step: number, event: AuditEvent): Promise<boolean>
}

export class PostgresTotpStore implements TotpStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(userId: string) {
    const { rows } = await this.#database.query<StoredTotp>({
      name: 'account_totp.find', // primary keys
      text: `SELECT t.sealed_seed AS "sealedSeed", a.organization_id AS "organizationId"
               FROM directory.account_totp t
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o USING (organization_id)
              WHERE t.user_id = $1 AND a.state = 'active' AND o.state = 'active'`,
      values: [userId],
    })
    return rows[0]
  }

  claimStep(userId: string, step: number, event: AuditEvent) {
    return this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: 'account_totp.claim_step', // primary key
        text: 'UPDATE directory.account_totp SET last_step = $2 WHERE user_id = $1 AND last_step < $2',
        values: [userId, step],
      })
      if (rowCount !== 1) return false
      await trail.record(tx, event)
      return true
    })
  }
}

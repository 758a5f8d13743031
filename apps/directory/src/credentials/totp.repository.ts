import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database } from '@signet/platform/postgres/pool'
import { hasAnyPasskey, lockFactors } from '../accounts/second-factor.repository.ts'
import { TotpSecretStore } from '../accounts/totp-secret.repository.ts'
import { auditTable } from '../audit/audit-table.ts'
import { requestNotice } from '../mail/notices.ts'

export interface StoredTotp {
  readonly organizationId: string
  readonly sealedSeed: Buffer
}

/** A person without a second factor, as authenticator apps show them. */
export interface PersonWithoutTotp {
  readonly organizationId: string
  readonly organizationName: string
  readonly loginName: string
}

export class TotpStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined without one, and for an account that may not sign in. */
  async find(userId: string): Promise<StoredTotp | undefined> {
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

  isSet(userId: string): Promise<boolean> {
    return new TotpSecretStore(this.#database).isSet(userId)
  }

  /**
   * Undefined for a person who has a TOTP secret, for an account that may not sign in, and unless `passkeyProven` for one
   * with a passkey, also one that does not count.
   */
  async findWithout(userId: string, passkeyProven: boolean): Promise<PersonWithoutTotp | undefined> {
    const { rows } = await this.#database.query<PersonWithoutTotp>({
      name: 'account_totp.find_without', // primary keys, passkey_of_user
      text: `SELECT o.organization_id AS "organizationId", o.name AS "organizationName",
                    a.user_name || '@' || o.primary_domain AS "loginName"
               FROM directory.account a JOIN directory.organization o USING (organization_id)
              WHERE a.user_id = $1 AND a.kind = 'human' AND a.state = 'active' AND o.state = 'active'
                AND NOT EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
                AND ($2 OR NOT ${hasAnyPasskey('$1')})`,
      values: [userId, passkeyProven],
    })
    return rows[0]
  }

  /**
   * Stores a seed, with the time of the code that proved it used up and the event; false when there is one already, and
   * unless `passkeyProven` when there is a passkey, also one that does not count.
   */
  addConfirmed(
    userId: string,
    {
      sealed,
      time,
      passkeyProven,
      at,
    }: {
      readonly sealed: Buffer
      readonly time: number
      readonly passkeyProven: boolean
      readonly at: Date
    },
    event: AuditEvent,
  ): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, userId)
      const { rowCount } = await tx.query({
        name: 'account_totp.add_confirmed', // primary keys, passkey_of_user
        text: `INSERT INTO directory.account_totp (user_id, sealed_seed, last_step)
               SELECT $1::text, $2, $3 WHERE $4 OR NOT ${hasAnyPasskey('$1::text')}
                   ON CONFLICT (user_id) DO NOTHING`,
        values: [userId, sealed, time, passkeyProven],
      })
      if (rowCount !== 1) return false
      await requestNotice(tx, { kind: 'factor_added', userId, at })
      await auditTable.record(tx, event)
      return true
    })
  }

  /** Deletes the secret of a person and stores the event, if there is one. */
  delete(userId: string, event: AuditEvent, at: Date): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, userId)
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'account_totp.delete_own', // primary keys
        text: `DELETE FROM directory.account_totp WHERE user_id = $1
            RETURNING (SELECT organization_id FROM directory.account WHERE user_id = $1) AS "organizationId"`,
        values: [userId],
      })
      if (rows[0] === undefined) return
      await requestNotice(tx, { kind: 'factor_removed', userId, at })
      await auditTable.record(tx, { ...event, ...rows[0] })
    })
  }

  /**
   * Whether this call may use the codes of this time, in units of 30 seconds: true once for each of an account, across all
   * its authenticators and all replicas, and never for a time before a used one. The event is stored in the same transaction.
   */
  claimTime(userId: string, time: number, event: AuditEvent): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: 'account_totp.claim_time', // primary key
        text: 'UPDATE directory.account_totp SET last_step = $2 WHERE user_id = $1 AND last_step < $2',
        values: [userId, time],
      })
      if (rowCount !== 1) return false
      await auditTable.record(tx, event)
      return true
    })
  }
}

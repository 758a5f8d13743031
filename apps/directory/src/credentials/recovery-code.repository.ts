import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { hasPasskeyAfterPassword, lockFactors } from '../accounts/second-factor.repository.ts'
import { auditTable } from '../audit/audit-table.ts'
import { requestNotice } from '../mail/notices.ts'

/** Recovery codes as administrators see them. */
export class ManagedRecoveryCodeStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async count(userId: string): Promise<number> {
    const { rows } = await this.#database.query<{ count: number }>({
      name: 'recovery_code.count', // primary key
      text: 'SELECT count(*)::int AS count FROM directory.recovery_code WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]?.count ?? 0
  }

  /** Whether there were any. */
  async delete(userId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'recovery_code.delete', // primary key
      text: 'DELETE FROM directory.recovery_code WHERE user_id = $1',
      values: [userId],
    })
    return (rowCount ?? 0) > 0
  }
}

/** Recovery codes as their owners use them. Each change and its event are one transaction. */
export class RecoveryCodeStore {
  readonly #database: Database
  readonly #rpId: string

  /** `rpId`: of the passkeys that count as a second factor; undefined where there are no passkeys. */
  constructor(database: Database, rpId: string | undefined) {
    this.#database = database
    this.#rpId = rpId ?? ''
  }

  count(userId: string): Promise<number> {
    return new ManagedRecoveryCodeStore(this.#database).count(userId)
  }

  /**
   * Replaces all codes of a person. Returns false, and changes nothing, for an account without a second factor and for one
   * that may not sign in.
   */
  replace(userId: string, hashes: readonly Buffer[], event: AuditEvent, at: Date): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, userId)
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'recovery_code.find_owner', // primary keys, passkey_of_user
        text: `SELECT a.organization_id AS "organizationId"
                 FROM directory.account a JOIN directory.organization o USING (organization_id)
                WHERE a.user_id = $1 AND a.kind = 'human' AND a.state = 'active' AND o.state = 'active'
                  AND (EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
                       OR ${hasPasskeyAfterPassword('$1', '$2')})`,
        values: [userId, this.#rpId],
      })
      const [owner] = rows
      if (owner === undefined) return false
      await new ManagedRecoveryCodeStore(tx).delete(userId)
      await tx.query({
        name: 'recovery_code.add',
        text: 'INSERT INTO directory.recovery_code (user_id, code_hash) SELECT $1::text, unnest($2::bytea[])',
        values: [userId, hashes],
      })
      await requestNotice(tx, { kind: 'factor_added', userId, at })
      await auditTable.record(tx, { ...event, ...owner })
      return true
    })
  }

  /**
   * Uses a code up: of concurrent calls one returns true. Returns false for an account that may not sign in. `event` gets
   * the organization of the account.
   */
  use(userId: string, hash: Buffer, event: AuditEvent): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'recovery_code.use', // primary keys
        text: `DELETE FROM directory.recovery_code c
                USING directory.account a JOIN directory.organization o USING (organization_id)
                WHERE c.user_id = $1 AND c.code_hash = $2
                  AND a.user_id = c.user_id AND a.state = 'active' AND o.state = 'active'
            RETURNING a.organization_id AS "organizationId"`,
        values: [userId, hash],
      })
      const [owner] = rows
      if (owner === undefined) return false
      await auditTable.record(tx, { ...event, ...owner })
      return true
    })
  }

  async organizationOf(userId: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ organizationId: string }>({
      name: 'recovery_code.organization', // primary key
      text: 'SELECT organization_id AS "organizationId" FROM directory.account WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]?.organizationId
  }
}

import type { Database, Queryable } from '@signet/postgres/pool'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { PasswordComplexity } from '../credentials/password-policy.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { Authority } from '../permissions/sufficient-roles.ts'
import { recordAuditEvent } from './audit-log.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

export type AccountState = 'active' | 'inactive' | 'locked'

export interface AccountSummary {
  readonly organizationId: string
  readonly kind: 'human' | 'service_user'
}

/**
 * Every change is committed together with its event when it resolves, and answers the epochs of the account after it;
 * undefined: no account.
 */
export interface AccountStore {
  find(userId: string): Promise<AccountSummary | undefined>
  /** Where an account was that was deleted under this id. */
  findDeleted(userId: string): Promise<{ readonly organizationId: string } | undefined>
  authorityOf(userId: string): Promise<Authority>
  passwordComplexity(organizationId: string): Promise<PasswordComplexity | undefined>
  /** The epoch has risen if the account was active and no longer is. */
  setState(userId: string, state: AccountState, event: AuditEvent): Promise<readonly Epoch[] | undefined>
  raiseEpoch(userId: string, event: AuditEvent): Promise<readonly Epoch[] | undefined>
  /** The epoch has risen, also when it is the first password or the same one. */
  setPassword(
    userId: string,
    password: { readonly hash: string; readonly changedAt: Date },
    event: AuditEvent,
  ): Promise<readonly Epoch[] | undefined>
  /** Answers what was retired under the id, by this deletion and by those before. */
  delete(userId: string, event: AuditEvent): Promise<readonly Epoch[]>
}

export class PostgresAccountStore implements AccountStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(userId: string) {
    const { rows } = await this.#database.query<AccountSummary>({
      name: 'account.find', // primary key
      text: 'SELECT organization_id AS "organizationId", kind FROM directory.account WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]
  }

  async findDeleted(userId: string) {
    const { rows } = await this.#database.query<{ organizationId: string }>({
      name: 'account.find_deleted', // retired_epoch_owner
      text: `SELECT organization_id AS "organizationId" FROM directory.retired_epoch
              WHERE owner_kind = 'account' AND owner_id = $1 ORDER BY retired_at DESC LIMIT 1`,
      values: [userId],
    })
    return rows[0]
  }

  async authorityOf(userId: string) {
    const { rows } = await this.#database.query<{ authority: Authority }>({
      // member_once, then primary keys
      name: 'account.authority',
      text: `SELECT CASE WHEN count(*) = 0 THEN 'none'
                         WHEN bool_and(coalesce(m.organization_id, p.organization_id)
                                         IS NOT DISTINCT FROM a.organization_id)
                           THEN 'organization'
                         ELSE 'beyond_organization' END AS authority
               FROM directory.member m JOIN directory.account a USING (user_id)
               LEFT JOIN directory.project p USING (project_id)
              WHERE m.user_id = $1`,
      values: [userId],
    })
    return rows[0]?.authority ?? 'beyond_organization'
  }

  async passwordComplexity(organizationId: string) {
    const { rows } = await this.#database.query<{ document: PasswordComplexity }>({
      name: 'organization_policy.password_complexity', // primary key
      text: `SELECT document FROM directory.organization_policy
              WHERE organization_id = $1 AND kind = 'password_complexity'`,
      values: [organizationId],
    })
    return rows[0]?.document
  }

  setState(userId: string, state: AccountState, event: AuditEvent) {
    return this.#change(userId, event, {
      name: 'account.set_state', // primary key
      text: 'UPDATE directory.account SET state = $2 WHERE user_id = $1',
      values: [userId, state],
    })
  }

  raiseEpoch(userId: string, event: AuditEvent) {
    return this.#change(userId, event, {
      name: 'account.raise_epoch', // primary key
      text: 'UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = $1',
      values: [userId],
    })
  }

  setPassword(
    userId: string,
    { hash, changedAt }: { readonly hash: string; readonly changedAt: Date },
    event: AuditEvent,
  ) {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ epoch: number }>({
        name: 'account.lock', // primary key
        text: 'SELECT token_epoch AS epoch FROM directory.account WHERE user_id = $1 FOR UPDATE',
        values: [userId],
      })
      const [before] = rows
      if (before === undefined) return undefined
      await tx.query({
        name: 'account_password.set', // primary key
        text: `INSERT INTO directory.account_password (user_id, hash, changed_at) VALUES ($1, $2, $3)
                   ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
        values: [userId, hash, changedAt],
      })
      // A trigger has done it already, unless there was no other password or no time has passed since that one.
      await tx.query({
        name: 'account.raise_epoch_above', // primary key
        text: 'UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = $1 AND token_epoch = $2',
        values: [userId, before.epoch],
      })
      await recordAuditEvent(tx, event)
      return currentEpochs(tx, userId)
    })
  }

  delete(userId: string, event: AuditEvent) {
    return this.#database.transaction(async (tx) => {
      await recordAuditEvent(tx, event)
      await tx.query({
        name: 'account.delete', // primary key
        text: 'DELETE FROM directory.account WHERE user_id = $1',
        values: [userId],
      })
      const { rows } = await tx.query<EpochRow>({
        name: 'retired_epoch.of_account', // retired_epoch_owner
        text: `SELECT kind, id, max(epoch) AS epoch FROM directory.retired_epoch
                WHERE owner_kind = 'account' AND owner_id = $1 GROUP BY kind, id`,
        values: [userId],
      })
      return rows.map(toEpoch)
    })
  }

  #change(
    userId: string,
    event: AuditEvent,
    statement: { name: string; text: string; values: readonly unknown[] },
  ) {
    return this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query(statement)
      if (rowCount === 0) return undefined
      await recordAuditEvent(tx, event)
      return currentEpochs(tx, userId)
    })
  }
}

/** Of the user, and of the client that a service user is. */
async function currentEpochs(tx: Queryable, userId: string): Promise<readonly Epoch[]> {
  const { rows } = await tx.query<EpochRow>({
    name: 'account.epochs', // primary keys
    text: `SELECT 'u' AS kind, user_id AS id, token_epoch AS epoch FROM directory.account WHERE user_id = $1
            UNION ALL
           SELECT 'c', s.client_id, a.token_epoch
             FROM directory.service_user s JOIN directory.account a USING (user_id)
            WHERE s.user_id = $1 AND s.client_id IS NOT NULL`,
    values: [userId],
  })
  return rows.map(toEpoch)
}

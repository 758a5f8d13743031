import type { Queryable } from '@signet/platform/postgres/pool'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'

interface NewImpersonation {
  readonly id: string
  readonly administratorId: string
  readonly userId: string
  readonly reason: string
  readonly tokenHash: Buffer
  readonly expiresAt: Date
}

/** The person of an impersonation, and whether the instance and the organization allow it. */
export interface ImpersonatedAccount {
  readonly userId: string
  readonly organizationId: string
  readonly kind: 'human' | 'service_user'
  /** Account and organization are active. */
  readonly active: boolean
  readonly loginName: string
  readonly organizationName: string
  readonly userEpoch: number
  readonly organizationEpoch: number
  /** The security policy of the instance allows impersonation. */
  readonly enabled: boolean
  /** The login policy of the organization allows it. */
  readonly allowed: boolean
}

/** A link that was not used yet, or that was used just now. */
export type StoredImpersonation = Pick<NewImpersonation, 'id' | 'administratorId' | 'userId' | 'reason'>

const COLUMNS = `impersonation_id AS id, administrator_id AS "administratorId", user_id AS "userId", reason`

/** Impersonations. Of concurrent callers one uses a link. */
export class ImpersonationStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async findAccount(userId: string): Promise<ImpersonatedAccount | undefined> {
    const { rows } = await this.#database.query<ImpersonatedAccount>({
      name: 'impersonation.find_account', // primary keys
      text: `SELECT a.user_id AS "userId", a.organization_id AS "organizationId", a.kind,
                    a.state = 'active' AND o.state = 'active' AS active,
                    a.user_name || '@' || o.primary_domain AS "loginName", o.name AS "organizationName",
                    a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
                    s.enable_impersonation AS enabled, p.allows_impersonation AS allowed
               FROM directory.account a
               JOIN directory.organization o USING (organization_id)
               JOIN directory.effective_policy_v1 p USING (organization_id)
              CROSS JOIN directory.setting s
              WHERE a.user_id = $1`,
      values: [userId],
    })
    return rows[0]
  }

  async findDisplayName(userId: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ displayName: string }>({
      name: 'impersonation.find_display_name', // primary key
      text: 'SELECT display_name AS "displayName" FROM directory.account WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]?.displayName
  }

  /** Adds a link in place of those that the administrator has not used. */
  async add(added: NewImpersonation): Promise<void> {
    const { id, administratorId, userId, reason, tokenHash, expiresAt } = added
    await this.#database.query({
      name: 'impersonation.delete_waiting', // impersonation_administrator
      text: 'DELETE FROM directory.impersonation WHERE administrator_id = $1 AND token_hash IS NOT NULL',
      values: [administratorId],
    })
    await this.#database.query({
      name: 'impersonation.add',
      text: `INSERT INTO directory.impersonation (impersonation_id, administrator_id, user_id, reason, token_hash, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)`,
      values: [id, administratorId, userId, reason, tokenHash, expiresAt],
    })
  }

  async find(tokenHash: Buffer, now: Date): Promise<StoredImpersonation | undefined> {
    const { rows } = await this.#database.query<StoredImpersonation>({
      name: 'impersonation.find', // unique constraint
      text: `SELECT ${COLUMNS} FROM directory.impersonation WHERE token_hash = $1 AND expires_at > $2`,
      values: [tokenHash, now],
    })
    return rows[0]
  }

  /**
   * Uses the link of an administrator up; undefined: there is none. The row stays locked, so that an act which ends the impersonation
   * waits for this transaction and then ends its session.
   */
  async begin(
    { tokenHash, administratorId }: Pick<NewImpersonation, 'tokenHash' | 'administratorId'>,
    { now, endsAt }: { readonly now: Date; readonly endsAt: Date },
  ): Promise<StoredImpersonation | undefined> {
    const { rows } = await this.#database.query<StoredImpersonation>({
      name: 'impersonation.begin', // unique constraint
      text: `UPDATE directory.impersonation SET token_hash = NULL, opened_at = $3, expires_at = $4
              WHERE token_hash = $1 AND administrator_id = $2 AND expires_at > $3 RETURNING ${COLUMNS}`,
      values: [tokenHash, administratorId, now, endsAt],
    })
    return rows[0]
  }

  /** Deletes an impersonation whose session is not made. */
  async delete(id: string): Promise<void> {
    await this.#database.query({
      name: 'impersonation.delete', // primary key
      text: 'DELETE FROM directory.impersonation WHERE impersonation_id = $1',
      values: [id],
    })
  }

  /** The impersonations that this transaction has ended. */
  async endedHere(): Promise<readonly Epoch[]> {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'impersonation.ended_here', // ending_change_xid
      text: `SELECT kind, id, value AS epoch FROM directory.ending_change
              WHERE xid = pg_current_xact_id() AND kind = 'p' AND starts_with(id, 'impersonation ')`,
    })
    return rows.map(toEpoch)
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#database.query({
      name: 'impersonation.delete_expired', // impersonation_expires_at
      text: 'DELETE FROM directory.impersonation WHERE expires_at <= $1',
      values: [now],
    })
  }
}

import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { AccountStore } from '../accounts/account.repository.ts'
import { hasFactor, lockFactors } from '../accounts/second-factor.repository.ts'
import { auditTable } from '../audit/audit-table.ts'
import { readPage } from '../database/row-statement.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { type Notice, requestNotice } from '../mail/notices.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import {
  MOST_PASSKEYS,
  type NewPasskey,
  type OwnPasskey,
  type Passkey,
  type PasskeyOwner,
  type SignInPasskey,
} from './passkey.ts'

const COLUMNS = `passkey_id AS id, rp_id AS "rpId", name, aaguid, transports, backup_eligible AS "backupEligible",
  backed_up AS "backedUp", created_at AS "createdAt", last_used_at AS "lastUsedAt", cloned_at AS "clonedAt"`

const RETURN_ORGANIZATION =
  'RETURNING (SELECT organization_id FROM directory.account WHERE user_id = $1) AS "organizationId"'

/** Passkeys as administrators see them. */
export class ManagedPasskeyStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(userId: string, request: PageRequest): Promise<Page<Passkey>> {
    return readPage<Passkey>(this.#database, {
      name: 'passkey.list', // passkey_of_user
      select: `SELECT ${COLUMNS} FROM directory.passkey`,
      key: 'passkey_id',
      keyMember: 'id',
      filters: { user_id: userId },
      request,
    })
  }

  /** Returns false where the user has no such passkey. */
  async delete(userId: string, id: string): Promise<boolean> {
    await lockFactors(this.#database, userId)
    const { rowCount } = await this.#database.query({
      name: 'passkey.delete', // primary key
      text: 'DELETE FROM directory.passkey WHERE passkey_id = $2 AND user_id = $1',
      values: [userId, id],
    })
    return rowCount === 1
  }
}

/** Passkeys of one relying party, as their owners use them. Each change and its event are one transaction. */
export class PasskeyStore {
  readonly #database: Database
  readonly #rpId: string

  constructor(database: Database, rpId: string) {
    this.#database = database
    this.#rpId = rpId
  }

  async find(credentialId: Buffer): Promise<SignInPasskey | undefined> {
    const { rows } = await this.#database.query<Omit<SignInPasskey, 'counter'> & { counter: string }>({
      name: 'passkey.find', // passkey_rp_id_credential_id_key, primary keys
      text: `SELECT k.passkey_id AS id, a.user_id AS "userId", a.organization_id AS "organizationId",
                    k.public_key AS "publicKey", k.counter::text, k.backup_eligible AS "backupEligible",
                    k.cloned_at IS NOT NULL AS cloned, u.handle,
                    a.state = 'active' AND o.state = 'active' AS active,
                    a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
                    p.passkey_sign_in AS allowed, p.passkey_second_factor AS "secondFactorAllowed", p.passkey_multi_factor AS "multiFactor",
                    p.force_mfa AS "forceMfa", t.user_id IS NOT NULL AS "hasTotp"
               FROM directory.passkey k
               JOIN directory.passkey_user u USING (user_id)
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o USING (organization_id)
               JOIN directory.effective_policy_v1 p USING (organization_id)
               LEFT JOIN directory.account_totp t USING (user_id)
              WHERE k.rp_id = $1 AND k.credential_id = $2`,
      values: [this.#rpId, credentialId],
    })
    return rows[0] && { ...rows[0], counter: Number(rows[0].counter) }
  }

  /**
   * Stores the counter of a sign-in, once across all replicas. Returns false when the counter is not higher than the
   * stored one, unless both are 0, and when the passkey is marked as cloned or gone.
   */
  use(
    id: string,
    used: { counter: number; backedUp: boolean; at: Date },
    event: AuditEvent,
  ): Promise<boolean> {
    return this.#change(
      {
        name: 'passkey.use', // primary key
        text: `UPDATE directory.passkey SET counter = $2, backed_up = $3, last_used_at = $4
                WHERE passkey_id = $1 AND cloned_at IS NULL AND (counter < $2 OR (counter = 0 AND $2 = 0))`,
        values: [id, used.counter, used.backedUp, used.at],
      },
      event,
    )
  }

  /**
   * Marks a passkey of a person as cloned and tells the person. Everything that was made for the account ends, since the
   * holder of the copy may be signed in: returns these endings, none when the passkey is marked or gone already.
   */
  markCloned(id: string, userId: string, at: Date, event: AuditEvent): Promise<readonly Epoch[]> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, userId)
      const { rowCount } = await tx.query({
        name: 'passkey.mark_cloned', // primary key
        text: 'UPDATE directory.passkey SET cloned_at = $2 WHERE passkey_id = $1 AND cloned_at IS NULL',
        values: [id, at],
      })
      if (rowCount !== 1) return []
      await requestNotice(tx, { kind: 'factor_stopped', userId, at })
      await auditTable.record(tx, event)
      return new AccountStore(tx).raiseEpoch(userId)
    })
  }

  async list(userId: string): Promise<readonly OwnPasskey[]> {
    const { rows } = await this.#database.query<OwnPasskey>({
      name: 'passkey.own', // passkey_of_user
      text: `SELECT ${COLUMNS}, credential_id AS "credentialId" FROM directory.passkey
              WHERE user_id = $1 AND rp_id = $2 ORDER BY created_at, passkey_id`,
      values: [userId, this.#rpId],
    })
    return rows
  }

  /** How passkeys of an account may serve as second factor. */
  async secondFactor(userId: string): Promise<{ readonly isSet: boolean; readonly isAllowed: boolean }> {
    const { rows } = await this.#database.query<{ isSet: boolean; isAllowed: boolean }>({
      name: 'passkey.second_factor', // primary keys, passkey_of_user
      text: `SELECT p.passkey_second_factor AS "isAllowed", p.passkey_second_factor AND EXISTS (
                      SELECT FROM directory.passkey k
                       WHERE k.user_id = a.user_id AND k.rp_id = $2 AND k.cloned_at IS NULL) AS "isSet"
               FROM directory.account a JOIN directory.effective_policy_v1 p USING (organization_id)
              WHERE a.user_id = $1`,
      values: [userId, this.#rpId],
    })
    return rows[0] ?? { isSet: false, isAllowed: false }
  }

  /** Whether the login policy of a person has a use for passkeys. */
  async isUsed(userId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'passkey.is_used', // primary keys
      text: `SELECT FROM directory.account a JOIN directory.effective_policy_v1 p USING (organization_id)
              WHERE a.user_id = $1 AND a.kind = 'human' AND (p.passkey_sign_in OR p.passkey_second_factor)`,
      values: [userId],
    })
    return rowCount === 1
  }

  /** Whether the person has no passkey and has not declined one within the time of the policy. */
  async isOffered(userId: string, now: Date): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'passkey.is_offered', // primary keys, passkey_of_user
      text: `SELECT FROM directory.account a JOIN directory.effective_policy_v1 p USING (organization_id)
               LEFT JOIN directory.passkey_user u USING (user_id)
              WHERE a.user_id = $1 AND (p.passkey_sign_in OR p.passkey_second_factor) AND p.passkey_offer_seconds > 0
                AND (u.offer_skipped_at IS NULL OR u.offer_skipped_at <= $3::timestamptz - p.passkey_offer_seconds * interval '1 second')
                AND NOT EXISTS (SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.rp_id = $2)`,
      values: [userId, this.#rpId, now],
    })
    return rowCount === 1
  }

  async skipOffer(userId: string, handle: Buffer, now: Date): Promise<void> {
    await this.#database.query({
      name: 'passkey_user.skip_offer', // primary key
      text: `INSERT INTO directory.passkey_user (user_id, handle, offer_skipped_at)
             SELECT user_id, $2, $3 FROM directory.account WHERE user_id = $1 AND kind = 'human'
             ON CONFLICT (user_id) DO UPDATE SET offer_skipped_at = excluded.offer_skipped_at`,
      values: [userId, handle, now],
    })
  }

  /**
   * The person, with `handle` as user handle if none was stored before. Returns undefined for an account that may not
   * sign in, has the most passkeys, or whose policy has no use for one.
   */
  async begin(userId: string, handle: Buffer): Promise<PasskeyOwner | undefined> {
    const { rows } = await this.#database.query<PasskeyOwner>({
      name: 'passkey_user.begin', // primary keys, passkey_of_user
      text: `WITH person AS (
               SELECT a.user_id, a.organization_id, a.user_name || '@' || o.primary_domain AS login_name, a.display_name
                 FROM directory.account a
                 JOIN directory.organization o USING (organization_id)
                 JOIN directory.effective_policy_v1 p USING (organization_id)
                WHERE a.user_id = $1 AND a.kind = 'human' AND a.state = 'active' AND o.state = 'active'
                  AND (p.passkey_sign_in OR p.passkey_second_factor)
                  AND (SELECT count(*) FROM directory.passkey k WHERE k.user_id = a.user_id) < ${MOST_PASSKEYS}
             ), owner AS (
               INSERT INTO directory.passkey_user (user_id, handle) SELECT user_id, $2 FROM person
               ON CONFLICT (user_id) DO UPDATE SET handle = passkey_user.handle RETURNING user_id, handle
             )
             SELECT organization_id AS "organizationId", handle, login_name AS "loginName",
                    display_name AS "displayName"
               FROM person JOIN owner USING (user_id)`,
      values: [userId, handle],
    })
    return rows[0]
  }

  /**
   * Returns why it was refused: the authenticator is registered already or the person has the most passkeys, or no factor
   * was proven and the person has one.
   */
  add(
    passkey: NewPasskey,
    event: AuditEvent,
    { factorProven }: { readonly factorProven: boolean },
  ): Promise<'passkey_known' | 'second_factor_set' | undefined> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, passkey.userId)
      if (!factorProven && (await hasFactor(tx, passkey.userId))) return 'second_factor_set'
      const { rowCount } = await tx.query({
        name: 'passkey.add', // passkey_of_user
        text: `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter,
                 transports, aaguid, name, backup_eligible, backed_up, created_at)
               SELECT $1, $2::text, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
                WHERE (SELECT count(*) FROM directory.passkey WHERE user_id = $2::text) < ${MOST_PASSKEYS}
               ON CONFLICT (rp_id, credential_id) DO NOTHING`,
        values: [
          passkey.id,
          passkey.userId,
          passkey.rpId,
          passkey.credentialId,
          passkey.publicKey,
          passkey.counter,
          passkey.transports,
          passkey.aaguid,
          passkey.name,
          passkey.backupEligible,
          passkey.backedUp,
          passkey.createdAt,
        ],
      })
      if (rowCount !== 1) return 'passkey_known'
      await requestNotice(tx, { kind: 'factor_added', userId: passkey.userId, at: passkey.createdAt })
      await auditTable.record(tx, event)
      return undefined
    })
  }

  async rename(userId: string, id: string, name: string, event: AuditEvent): Promise<void> {
    const text = `UPDATE directory.passkey SET name = $3 WHERE passkey_id = $2 AND user_id = $1 ${RETURN_ORGANIZATION}`
    await this.#change({ name: 'passkey.rename', text, values: [userId, id, name] }, event) // primary keys
  }

  async delete(userId: string, id: string, event: AuditEvent, at: Date): Promise<void> {
    const text = `DELETE FROM directory.passkey WHERE passkey_id = $2 AND user_id = $1 ${RETURN_ORGANIZATION}`
    const statement = { name: 'passkey.delete_own', text, values: [userId, id] } // primary keys
    await this.#change(statement, event, { locked: userId, notice: { kind: 'factor_removed', userId, at } })
  }

  /**
   * Runs a statement that changes at most one row, with the event, in the organization that it returns, if it changed one;
   * `locked`: as lockFactors.
   */
  #change(
    statement: Parameters<Queryable['query']>[0],
    event: AuditEvent,
    { locked, notice }: { readonly locked?: string; readonly notice?: Notice } = {},
  ): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      if (locked !== undefined) await lockFactors(tx, locked)
      const { rows, rowCount } = await tx.query<{ organizationId: string }>(statement)
      if (rowCount !== 1) return false
      if (notice !== undefined) await requestNotice(tx, notice)
      await auditTable.record(tx, { ...event, ...rows[0] })
      return true
    })
  }
}

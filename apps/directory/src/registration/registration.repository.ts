import { isIP } from 'node:net'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { emailAddressKey } from '@signet/protocol/email-address'
import { factorDemand } from '@signet/protocol/factor-demand'
import { userNameKey } from '@signet/protocol/user-name'
import type { PasswordComplexity } from '../accounts/account.ts'
import { auditTable } from '../audit/audit-table.ts'
import type { PasswordProblem } from '../credentials/password-policy.ts'
import { demandedFactor, NOTHING_DEMANDED, type VerifiedAccount } from '../credentials/verify-password.ts'
import { MailStore } from '../mail/mail.repository.ts'
import type { QueueOutcome } from '../mail/queued-message.ts'

export interface RegistrationOrganization {
  readonly organizationId: string
  /** Whether it is active and its login policy lets people register; without a policy they may. */
  readonly allowsRegistration: boolean
  readonly complexity: PasswordComplexity
  readonly name: string
}

export interface NewRegistration {
  readonly userId: string
  readonly organizationId: string
  readonly registration: Registration
  readonly passwordHash: string
  readonly at: Date
  /** The `client_id` of the application from which the person came. */
  readonly clientId?: string | undefined
}

/** The kinds of tries that are counted by network address, each by itself. */
export type TryKind =
  | 'registration'
  | 'registration_password'
  | 'password_reset'
  | `password_reset of ${string}`
  | 'mail_code'
  | 'mail_refusal'
  | 'upstream_account'

const HOUR_MS = 3_600_000

export class RegistrationStore {
  readonly #database: Database
  readonly #masterKeys: readonly Buffer[]

  constructor(database: Database, masterKeys: readonly Buffer[]) {
    this.#database = database
    this.#masterKeys = masterKeys
  }

  /** The default organization without an id. */
  async findOrganization(organizationId: string | undefined): Promise<RegistrationOrganization | undefined> {
    const { rows } = await this.#database.query<RegistrationOrganization>({
      name: 'registration.organization', // primary keys
      text: `SELECT o.organization_id AS "organizationId", o.name,
                    o.active AND o.allow_register AS "allowsRegistration",
                    directory.password_complexity(o.organization_id) AS complexity
               FROM directory_read.organization_v1 o
              WHERE o.organization_id = coalesce($1::text, (SELECT default_organization_id FROM directory_read.setting_v1))`,
      values: [organizationId ?? null],
    })
    return rows[0]
  }

  /** Counts a try unless the source has had `most` in the hour before; exact across replicas. */
  countTry(
    address: string | undefined,
    at: Date,
    most: number,
    kind: TryKind = 'registration',
  ): Promise<boolean> {
    const source = sourceOf(address)
    return this.#database.transaction(async (tx) => {
      // The lock makes counting and adding atomic for one source network.
      await tx.query({
        name: 'registration.lock_source',
        text: `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.triesOfNetwork}, hashtext(network(set_masklen($1::inet, $2))::text))`,
        values: [source, maskLength(source)],
      })
      const { rowCount } = await tx.query({
        name: 'registration.count_try', // registration_attempt_source
        text: `INSERT INTO directory.registration_attempt (source, attempted_at, kind)
               SELECT network(set_masklen($1::inet, $2)), $3, $6
                WHERE (SELECT count(*) FROM directory.registration_attempt
                        WHERE source = network(set_masklen($1::inet, $2)) AND attempted_at > $4 AND kind = $6) < $5`,
        values: [source, maskLength(source), at, new Date(at.getTime() - HOUR_MS), most, kind],
      })
      return rowCount === 1
    })
  }

  /** Takes back the last counted try of the source: one that did not fail. */
  async forgetTry(address: string | undefined, kind: TryKind = 'registration'): Promise<void> {
    const source = sourceOf(address)
    await this.#database.query({
      name: 'registration.forget_try', // registration_attempt_source
      text: `DELETE FROM directory.registration_attempt
              WHERE ctid = (SELECT ctid FROM directory.registration_attempt
                             WHERE source = network(set_masklen($1::inet, $2)) AND kind = $3
                             ORDER BY attempted_at DESC LIMIT 1 FOR UPDATE SKIP LOCKED)`,
      values: [source, maskLength(source), kind],
    })
  }

  /** Whether the organization has an account of this name, or another one whose names are unique in the instance. */
  isTaken(organizationId: string, userName: string): Promise<boolean> {
    return isUserNameTaken(this.#database, organizationId, userName)
  }

  /**
   * Stores the account with the event and queues the message that asks to confirm its address; none of these, and
   * undefined, when the name was taken in the meantime. `mail` says what became of the message.
   */
  async add(
    account: NewRegistration,
    event: AuditEvent,
  ): Promise<{ readonly account: VerifiedAccount; readonly mail: QueueOutcome } | undefined> {
    try {
      return await this.#database.transaction(async (tx) => {
        const added = await insertAccount(tx, account)
        const { userId, at } = account
        const store = new MailStore(tx, this.#masterKeys)
        const mail = await store.queue({
          ...{ kind: 'email_verification', userId, at, askedBy: 'registration' },
          clientId: account.clientId,
        })
        await auditTable.record(tx, event)
        return { account: added, mail }
      })
    } catch (error) {
      if (isNameTaken(error)) return undefined
      throw error
    }
  }

  /** Forgets tries that count no more. */
  async deleteTriesBefore(at: Date): Promise<void> {
    await this.#database.query({
      name: 'registration.forget_tries', // a scan, hourly, over some hundred rows for each source
      text: 'DELETE FROM directory.registration_attempt WHERE attempted_at < $1',
      values: [new Date(at.getTime() - HOUR_MS)],
    })
  }
}

/** Callers without a known address share one. */
const sourceOf = (address: string | undefined) => (isIP(address ?? '') === 0 ? '0.0.0.0' : address)

/** Whether the organization has an account of this name, or another one whose names are unique in the instance. */
export async function isUserNameTaken(
  database: Queryable,
  organizationId: string,
  userName: string,
): Promise<boolean> {
  const { rows } = await database.query<{ taken: boolean }>({
    name: 'registration.is_taken', // account_user_name, account_global_user_name
    text: `SELECT EXISTS (SELECT FROM directory.account
                           WHERE user_name_key = $2 AND (organization_id = $1 OR user_name_is_global)) AS taken`,
    values: [organizationId, userNameKey(userName)],
  })
  return rows[0]?.taken ?? false
}

const NAME_CONSTRAINTS: ReadonlySet<string> = new Set(['account_user_name', 'account_global_user_name'])

/** Whether the database refused an account because its user name is taken. */
export function isNameTaken(error: unknown): boolean {
  const { code, constraint = '' } = error as { code?: string; constraint?: string }
  return code === '23505' && NAME_CONSTRAINTS.has(constraint)
}

function maskLength(source: string | undefined): number {
  return source?.includes(':') ? 64 : 32
}

async function insertAccount(
  tx: Queryable,
  { userId, organizationId, registration, passwordHash, at }: NewRegistration,
): Promise<VerifiedAccount> {
  const { userName, email, givenName, familyName, displayName, preferredLanguage } = registration
  await tx.query({
    name: 'registration.add_account',
    text: `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, email, email_key,
                                          given_name, family_name, display_name, preferred_language, created_at, updated_at)
           VALUES ($1, $2, 'human', $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
    values: [
      userId,
      organizationId,
      userName,
      userNameKey(userName),
      email,
      emailAddressKey(email),
      givenName,
      familyName,
      displayName,
      preferredLanguage ?? null,
      at,
    ],
  })
  await tx.query({
    name: 'registration.add_password',
    text: 'INSERT INTO directory.account_password (user_id, hash, changed_at) VALUES ($1, $2, $3)',
    values: [userId, passwordHash, at],
  })
  const { rows } = await tx.query<
    Pick<VerifiedAccount, 'userEpoch' | 'organizationEpoch'> & { readonly forceMfa: boolean }
  >({
    name: 'registration.epochs', // primary keys
    text: `SELECT a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
                  p.force_mfa AS "forceMfa"
             FROM directory.account a JOIN directory.organization o USING (organization_id)
             JOIN directory.effective_policy_v1 p USING (organization_id) WHERE a.user_id = $1`,
    values: [userId],
  })
  const [added] = rows
  if (added === undefined) throw new Error('the account that was added is not there')
  const { forceMfa, ...epochs } = added
  return {
    userId,
    organizationId,
    ...epochs,
    ...NOTHING_DEMANDED,
    ...demandedFactor(factorDemand({ forceMfa }, { totp: false, anyPasskey: false }, ['pwd'])),
  }
}

/** The fields of the form as they arrived. */
export interface RegistrationForm {
  readonly userName: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly preferredLanguage: string
  readonly password: string
}

/** A form whose fields are well formed. */
export interface Registration {
  readonly userName: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly displayName: string
  readonly preferredLanguage: string | undefined
}

export interface RegistrationProblem {
  /** Field as the contract names it; empty when no field is to blame. */
  readonly field: string
  readonly code:
    | 'required'
    | 'invalid'
    | 'too_long'
    | 'taken'
    /** A user name in the form of an address; no address is proven at registration. */
    | 'address'
    | PasswordProblem['code']
    | 'too_many_attempts'
    | 'not_allowed'
}

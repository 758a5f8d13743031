import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { AccountStore } from '../accounts/account.repository.ts'
import type { Person, ProfileChanges } from '../accounts/account.ts'
import { auditTable } from '../audit/audit-table.ts'
import { NOTHING_DEMANDED, type VerifiedAccount } from '../credentials/verify-password.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { MailStore } from '../mail/mail.repository.ts'
import { type DeletedPerson, queueDeletionNotice } from '../mail/notices.ts'
import { mailRequestPurpose } from '../sealing/purposes.ts'

/** The session in which a person makes a change. */
export interface OwnSession {
  readonly userId: string
  readonly userEpoch: number
  readonly organizationEpoch: number
}

interface Sealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** Changes that people make in their own accounts, each in one transaction with its event; none in a session that has ended. */
export class OwnAccountStore {
  readonly #database: Database
  readonly #sealing: Sealing

  constructor(database: Database, sealing: Sealing) {
    this.#database = database
    this.#sealing = sealing
  }

  /** `hasRoles`: of an administrator. */
  async find(
    userId: string,
  ): Promise<(Person & { readonly hasPassword: boolean; readonly hasRoles: boolean }) | undefined> {
    const account = await new AccountStore(this.#database).find(userId)
    if (account?.kind !== 'human') return undefined
    const { rows } = await this.#database.query<{ hasPassword: boolean }>({
      name: 'account_password.exists', // primary key
      text: 'SELECT EXISTS (SELECT FROM directory.account_password WHERE user_id = $1) AS "hasPassword"',
      values: [userId],
    })
    const [{ hasPassword } = { hasPassword: false }] = rows
    return { ...account, hasPassword, hasRoles: await hasRoles(this.#database, userId) }
  }

  /** Whether the person may sign in and the session has not ended. */
  async isLive(session: OwnSession): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'account.has_session_epochs', // primary keys
      text: LIVE_SESSION,
      values: [session.userId, session.userEpoch, session.organizationEpoch],
    })
    return rowCount === 1
  }

  /** Undefined: the account may not sign in. */
  updateProfile(
    session: OwnSession,
    profile: ProfileChanges,
    at: Date,
    event: AuditEvent,
  ): Promise<'done' | undefined> {
    const { userId } = session
    return this.#change(session, event, async (tx) => {
      await new AccountStore(tx).update({ id: userId, kind: 'human' }, { profile }, at)
      return 'done' as const
    })
  }

  /** The account under its new epoch; undefined: it may not sign in. */
  raiseEpoch(
    session: OwnSession,
    event: AuditEvent,
  ): Promise<{ readonly account: VerifiedAccount; readonly epochs: readonly Epoch[] } | undefined> {
    const { userId } = session
    return this.#change(session, event, async (tx, organization) => {
      const epochs = await new AccountStore(tx).raiseEpoch(userId)
      const userEpoch = epochs.find(({ kind }) => kind === 'user')?.epoch ?? 0
      const account = { userId, ...organization, userEpoch, ...NOTHING_DEMANDED }
      return { account, epochs }
    })
  }

  /**
   * Returns its endings; undefined: it may not sign in, or the person has a role of an administrator. The person gets a
   * notice at the verified address; `notice` is undefined without one.
   */
  delete(
    session: OwnSession,
    at: Date,
    event: AuditEvent,
  ): Promise<
    { readonly epochs: readonly Epoch[]; readonly notice: 'queued' | 'no_server' | undefined } | undefined
  > {
    const { userId } = session
    return this.#change(session, event, async (tx) => {
      if (await hasRoles(tx, userId)) return undefined
      const notice = await this.#notifyOfDeletion(tx, userId, at)
      const epochs = await new AccountStore(tx).delete(userId)
      return epochs && { epochs, notice }
    })
  }

  async #notifyOfDeletion(tx: Queryable, userId: string, at: Date) {
    const { masterKeys, random } = this.#sealing
    const mail = new MailStore(tx, masterKeys)
    const recipient = await mail.findRecipient(userId)
    if (!recipient?.emailVerified) return undefined
    const { organizationId, email, emailKey, preferredLoginName, preferredLanguage } = recipient
    const [recipientKey] = mail.recipientKeys(emailKey)
    const person: DeletedPerson = { email, preferredLoginName, preferredLanguage }
    const plain = Buffer.from(JSON.stringify(person))
    const sealed = (id: string) => sealValue(masterKeys, plain, mailRequestPurpose(id), random)
    return queueDeletionNotice(tx, { organizationId, recipientKey, at, sealed })
  }

  /** Runs `work` for a person who may sign in, and records the event unless it returns undefined. */
  #change<T>(
    session: OwnSession,
    event: AuditEvent,
    work: (tx: Queryable, organization: Organization) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<Organization>({
        name: 'account.lock_active_person', // primary keys
        text: `${LIVE_SESSION} FOR UPDATE OF a`,
        values: [session.userId, session.userEpoch, session.organizationEpoch],
      })
      const [organization] = rows
      if (organization === undefined) return undefined
      const result = await work(tx, organization)
      if (result === undefined) return undefined
      await auditTable.record(tx, { ...event, organizationId: organization.organizationId })
      return result
    })
  }
}

/** The organization of a person who may sign in, under the epochs of a session. */
export const LIVE_SESSION = `SELECT o.organization_id AS "organizationId", o.token_epoch AS "organizationEpoch"
                        FROM directory.account a JOIN directory.organization o USING (organization_id)
                       WHERE a.user_id = $1 AND a.kind = 'human' AND a.state = 'active' AND o.state = 'active'
                         AND a.token_epoch = $2 AND o.token_epoch = $3`

/** Offered roles that the person did not accept do not count: other organizations could prevent a deletion with them. */
async function hasRoles(database: Queryable, userId: string): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'member.of_user', // member_once
    text: 'SELECT FROM directory.member WHERE user_id = $1 AND accepted LIMIT 1',
    values: [userId],
  })
  return rowCount === 1
}

type Organization = Pick<VerifiedAccount, 'organizationId' | 'organizationEpoch'>

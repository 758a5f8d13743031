import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { NOTICE_REQUESTS, type Notice, requestNotice } from './notices.ts'
import type { Address, NewMessage, QueueOutcome, Recipient } from './queued-message.ts'
import { type MessageKind, NOTICE_KINDS } from './texts/mail.schema.ts'

interface Counted {
  readonly recipientKeys: readonly Buffer[]
  readonly smtp: string | null
  readonly kind: MessageKind
  readonly at: Date
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Messages that one person, and one address, get within an hour. */
const MOST_PER_HOUR = 5
const KEPT_DAYS = 30

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS)

export class MailStore {
  readonly #database: Queryable
  readonly #masterKeys: readonly Buffer[]

  constructor(database: Queryable, masterKeys: readonly Buffer[]) {
    this.#database = database
    this.#masterKeys = masterKeys
  }

  /** Finds the recipient, with `to` at that address. */
  async findRecipient(userId: string, to?: Address): Promise<Recipient | undefined> {
    const { rows } = await this.#database.query<Recipient>({
      name: 'mail.recipient', // primary keys, member_once
      text: `SELECT a.user_id AS "userId", a.organization_id AS "organizationId",
                    a.state = 'active' AND o.state = 'active' AS active,
                    coalesce($2, a.email) AS email, coalesce($3, a.email_key) AS "emailKey",
                    coalesce(a.email_key, '') AS "accountEmailKey",
                    a.email_verified AS "emailVerified", p.user_id IS NOT NULL AS "hasPassword",
                    a.token_epoch AS "userEpoch", r.allows_password AS "allowsPassword", r.offered AS "offersReset",
                    EXISTS (SELECT FROM directory.member m LEFT JOIN directory.project pr ON pr.project_id = m.project_id
                             WHERE m.user_id = a.user_id
                               AND coalesce(m.organization_id, pr.organization_id) IS DISTINCT FROM a.organization_id)
                      AS "reachesFurther",
                    a.preferred_language AS "preferredLanguage",
                    a.user_name || '@' || o.primary_domain AS "preferredLoginName",
                    o.name AS "organizationName", a.user_name AS "userName",
                    a.display_name AS "displayName", a.given_name AS "givenName", a.family_name AS "familyName",
                    a.nickname
               FROM directory.account a
               JOIN directory.organization o USING (organization_id)
               JOIN directory_read.password_reset_v1 r USING (organization_id)
               LEFT JOIN directory.account_password p USING (user_id)
              WHERE a.user_id = $1 AND a.kind = 'human' AND coalesce($2, a.email) IS NOT NULL`,
      values: [userId, to?.address ?? null, to?.key ?? null],
    })
    return rows[0]
  }

  /** The keyed hashes of an address, one by each master key, the newest first; an older row may have another than the first. */
  recipientKeys(emailKey: string): readonly Buffer[] {
    return this.#masterKeys.map((key) => createMasterKeyMac([key], 'signet mail recipients').of(emailKey))
  }

  /** Queues the request of a person, known or not, with what they typed. */
  async queueRequest({ sealed, at }: { sealed: (id: string) => Buffer; at: Date }): Promise<void> {
    const id = crypto.randomUUID()
    await this.#database.query({
      name: 'mail_delivery.queue_request',
      text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, sealed_request, created_at, due_at)
             VALUES ($1, $2, 'password_reset_request', $3, $4, $4)`,
      values: [dayOf(at), id, sealed(id), at],
    })
  }

  /**
   * Queues a message unless the person or the address got too many within an hour, or people of the organization too many
   * within a day through the server of the instance; that limit refuses no message that its recipient asked for. Messages to deleted users count further. Messages that are queued
   * at the same time may pass the limit of the organization by their number. Needs a transaction.
   */
  async queue({
    kind,
    userId,
    language,
    at,
    id,
    byRecipient = false,
    to,
    askedBy,
    clientId,
    askedByUser,
    sealedOrigin,
  }: NewMessage): Promise<QueueOutcome> {
    const recipient = await this.findRecipient(userId, to)
    if (recipient === undefined || !recipient.active) return 'no_address'
    const smtp = await this.#smtpOf(recipient, kind)
    if (smtp === undefined) return 'no_server'
    // The lock makes counting and adding atomic for one address.
    await this.#database.query({
      name: 'mail_delivery.lock_recipient',
      text: `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.messagesOfAddress}, hashtext($1))`,
      values: [recipient.emailKey],
    })
    const recipientKeys = this.recipientKeys(recipient.emailKey)
    const reached = await this.#reachedLimit(recipient, { recipientKeys, smtp, kind, at })
    if (reached === 'limited' || (reached !== undefined && !byRecipient))
      return (await this.#isQueued(at, id)) ? 'repeated' : reached
    const { rowCount } = await this.#database.query({
      name: 'mail_delivery.queue', // primary key, application_client_id
      text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, recipient_key, organization_id, smtp,
                                                  language, created_at, due_at, address, address_key, asked_by, asked_by_user,
                                                  application, client_id, sealed_request)
             VALUES ($1, coalesce($2, gen_random_uuid()::text), $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13,
                     (SELECT name FROM directory.application WHERE client_id = $14),
                     (SELECT client_id FROM directory.application WHERE client_id = $14), $15)
                 ON CONFLICT (day, delivery_id) DO NOTHING`,
      values: [
        dayOf(at),
        id ?? null,
        kind,
        userId,
        recipientKeys[0],
        recipient.organizationId,
        smtp,
        language ?? null,
        at,
        to?.address ?? null,
        to?.key ?? null,
        askedBy ?? null,
        askedByUser ?? null,
        clientId ?? null,
        sealedOrigin ?? null,
      ],
    })
    return rowCount === 1 ? 'queued' : 'repeated'
  }

  /** Whether people of the organization may be led to the application: its own, or one of a project that is granted to it. */
  async isApplicationOf(organizationId: string, clientId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'mail.application_of', // application_client_id, primary keys
      text: `SELECT FROM directory.application c
               JOIN directory.project p USING (project_id)
              WHERE c.client_id = $2 AND c.state = 'active'
                AND (p.organization_id = $1
                     OR EXISTS (SELECT FROM directory.project_grant g
                                 WHERE g.project_id = p.project_id AND g.granted_organization_id = $1))`,
      values: [organizationId, clientId],
    })
    return rowCount === 1
  }

  async #reachedLimit(
    { userId, organizationId }: Recipient,
    { recipientKeys, smtp, kind, at }: Counted,
  ): Promise<'limited' | 'organization_limited' | undefined> {
    const { rows } = await this.#database.query<{ isLimited: boolean; isOrganizationLimited: boolean }>({
      // mail_delivery_user, mail_delivery_recipient, mail_delivery_organization
      name: 'mail_delivery.limits',
      text: `SELECT CASE WHEN $9 = ANY ($8) THEN
                      (SELECT count(*) FROM directory.mail_delivery
                        WHERE recipient_key = ANY ($2) AND created_at > $5 AND kind = $9 AND organization_id = $3) >= $6
                    ELSE
                      (SELECT count(*) FROM directory.mail_delivery
                        WHERE user_id = $1 AND created_at > $5 AND kind <> ALL ($8)) >= $6
                      OR (SELECT count(*) FROM directory.mail_delivery
                           WHERE recipient_key = ANY ($2) AND created_at > $5 AND kind <> ALL ($8)) >= $6
                    END AS "isLimited",
                    $4::text IS NULL AND smtp_daily_limit > 0
                      AND (SELECT count(*) FROM directory.mail_delivery
                            WHERE organization_id = $3 AND smtp IS NULL AND created_at > $7) >= smtp_daily_limit
                      AS "isOrganizationLimited"
               FROM directory.setting`,
      values: [
        userId,
        recipientKeys,
        organizationId,
        smtp,
        new Date(at.getTime() - HOUR_MS),
        MOST_PER_HOUR,
        new Date(at.getTime() - DAY_MS),
        // Counted by kind and organization: neither resets nor another organization use them up.
        [...NOTICE_KINDS, ...NOTICE_REQUESTS, 'account_deleted'],
        kind,
      ],
    })
    if (rows[0]?.isLimited) return 'limited'
    return rows[0]?.isOrganizationLimited ? 'organization_limited' : undefined
  }

  async #isQueued(at: Date, id: string | undefined): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'mail_delivery.of_id', // primary key
      text: 'SELECT FROM directory.mail_delivery WHERE day = $1 AND delivery_id = $2',
      values: [dayOf(at), id ?? null],
    })
    return rowCount === 1
  }

  /** The organization whose server sends to a person, null for the instance; undefined: there is none. */
  async #smtpOf(
    { organizationId, reachesFurther }: Recipient,
    kind: MessageKind,
  ): Promise<string | null | undefined> {
    const { rows } = await this.#database.query<{ own: boolean; sendsMail: boolean }>({
      name: 'mail.server_of', // primary key
      text: `SELECT EXISTS (SELECT FROM directory.organization_smtp WHERE organization_id = $1) AS own,
                    sends_mail AS "sendsMail" FROM directory.setting`,
      values: [organizationId],
    })
    const [row] = rows
    // An organization must not read the proof of an address that it may not have.
    const isProof = kind === 'email_change' || kind === 'email_verification'
    if (row?.own && !reachesFurther && !(isProof && row.sendsMail)) return organizationId
    return row?.sendsMail ? null : undefined
  }

  /** Queues a notice, as `requestNotice` does. */
  requestNotice(notice: Notice): Promise<void> {
    return requestNotice(this.#database, notice)
  }

  /** Deletes deliveries with an outcome, and tokens, that are older than a month. */
  async deleteOld(at: Date): Promise<void> {
    await this.#database.query({
      name: 'mail_token.delete_old', // a scan, hourly
      text: 'DELETE FROM directory.mail_token WHERE expires_at < $1',
      values: [new Date(at.getTime() - KEPT_DAYS * DAY_MS)],
    })
    await this.#database.query({
      name: 'mail_delivery.delete_old', // primary key
      text: 'DELETE FROM directory.mail_delivery WHERE day < $1 AND due_at IS NULL',
      values: [dayOf(at) - KEPT_DAYS],
    })
  }

  /**
   * Stores whether the instance has an SMTP server, which login must know to offer a reset, and the most messages in 24
   * hours that one organization sends through it; 0: no limit.
   */
  async setInstanceServer({
    sendsMail,
    dailyLimit,
  }: {
    sendsMail: boolean
    dailyLimit: number
  }): Promise<void> {
    await this.#database.query({
      name: 'setting.smtp', // one row
      text: `UPDATE directory.setting SET sends_mail = $1, smtp_daily_limit = $2
              WHERE sends_mail <> $1 OR smtp_daily_limit <> $2`,
      values: [sendsMail, dailyLimit],
    })
  }
}

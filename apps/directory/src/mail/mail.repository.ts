import { type Delivery, PostgresOutbox } from '@signet/platform/outbox/outbox.repository'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { MessageKind } from './mail.schema.ts'

/** A message to send, or the request of a person whose login name is still to be resolved. */
export interface MailDelivery extends Delivery {
  readonly kind: MessageKind | 'password_reset_request'
  /** Null for a request. */
  readonly userId: string | null
  /** The organization by whose SMTP server it goes; null: that of the instance. */
  readonly smtp: string | null
  readonly language: string | null
  readonly sealedRequest: Buffer | null
}

/** Messages through SMTP servers of organizations have places of their own: many silent ones do not delay the instance's. */
export function createMailOutboxes(database: Database): readonly PostgresOutbox<MailDelivery>[] {
  const table = {
    table: 'directory.mail_delivery',
    receiver: 'receiver',
    columns: 'd.kind, d.user_id AS "userId", d.smtp, d.language, d.sealed_request AS "sealedRequest"',
    cleared: ['sealed_request'],
  }
  return [
    new PostgresOutbox(database, { ...table, statement: 'mail_delivery.instance', only: 'smtp IS NULL' }),
    new PostgresOutbox(database, { ...table, statement: 'mail_delivery.tenant', only: 'smtp IS NOT NULL' }),
  ]
}

/** The person that a message goes to. */
export interface Recipient {
  readonly userId: string
  readonly organizationId: string
  /** Account and organization. */
  readonly active: boolean
  readonly email: string
  readonly emailKey: string
  readonly emailVerified: boolean
  readonly hasPassword: boolean
  readonly userEpoch: number
  /** The policies of the organization let people reset their passwords. */
  readonly offersReset: boolean
  /**
   * The person holds a role of the instance or in another organization. Their own organization must not see a link that
   * sets their password, so neither its SMTP server nor its texts are used.
   */
  readonly reachesFurther: boolean
  readonly preferredLanguage: string | null
  readonly preferredLoginName: string
  readonly userName: string
  readonly displayName: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly nickname: string | null
}

interface NewMessage {
  readonly kind: MessageKind
  readonly userId: string
  readonly language?: string | undefined
  readonly at: Date
  /** The id of the delivery, so that a repetition queues nothing; generated when left out. */
  readonly id?: string
}

/** `repeated`: a message of that id is there already. The others say why no message was queued. */
export type QueueOutcome = 'queued' | 'repeated' | 'no_address' | 'no_server' | 'limited'

export interface MailStore {
  findRecipient(userId: string): Promise<Recipient | undefined>
  /** Queues the request of a person, known or not, with what they typed. */
  queueRequest(request: { readonly sealed: (id: string) => Buffer; readonly at: Date }): Promise<void>
  /** Queues a message unless the person or the address got too many within an hour. Needs a transaction. */
  queue(message: NewMessage): Promise<QueueOutcome>
  /** Deletes deliveries with an outcome, and tokens, that are older than a month. */
  deleteOld(at: Date): Promise<void>
  /** Stores whether the instance has an SMTP server, which login must know to offer a reset. */
  setSendsMail(sendsMail: boolean): Promise<void>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Messages that one person, and one address, get within an hour. */
const MOST_PER_HOUR = 5
const KEPT_DAYS = 30

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS)

export class PostgresMailStore implements MailStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async findRecipient(userId: string): Promise<Recipient | undefined> {
    const { rows } = await this.#database.query<Recipient>({
      name: 'mail.recipient', // primary keys, member_once
      text: `SELECT a.user_id AS "userId", a.organization_id AS "organizationId",
                    a.state = 'active' AND o.state = 'active' AS active, a.email, a.email_key AS "emailKey",
                    a.email_verified AS "emailVerified", p.user_id IS NOT NULL AS "hasPassword",
                    a.token_epoch AS "userEpoch", r.offered AS "offersReset",
                    EXISTS (SELECT FROM directory.member m LEFT JOIN directory.project pr ON pr.project_id = m.project_id
                             WHERE m.user_id = a.user_id
                               AND coalesce(m.organization_id, pr.organization_id) IS DISTINCT FROM a.organization_id)
                      AS "reachesFurther",
                    a.preferred_language AS "preferredLanguage",
                    a.user_name || '@' || o.primary_domain AS "preferredLoginName", a.user_name AS "userName",
                    a.display_name AS "displayName", a.given_name AS "givenName", a.family_name AS "familyName",
                    a.nickname
               FROM directory.account a
               JOIN directory.organization o USING (organization_id)
               JOIN directory_read.password_reset_v1 r USING (organization_id)
               LEFT JOIN directory.account_password p USING (user_id)
              WHERE a.user_id = $1 AND a.kind = 'human' AND a.email IS NOT NULL`,
      values: [userId],
    })
    return rows[0]
  }

  async queueRequest({ sealed, at }: { sealed: (id: string) => Buffer; at: Date }): Promise<void> {
    const id = crypto.randomUUID()
    await this.#database.query({
      name: 'mail_delivery.queue_request',
      text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, sealed_request, created_at, due_at)
             VALUES ($1, $2, 'password_reset_request', $3, $4, $4)`,
      values: [dayOf(at), id, sealed(id), at],
    })
  }

  async queue({ kind, userId, language, at, id }: NewMessage): Promise<QueueOutcome> {
    const recipient = await this.findRecipient(userId)
    if (recipient === undefined || !recipient.active) return 'no_address'
    const smtp = await this.#smtpOf(recipient)
    if (smtp === undefined) return 'no_server'
    // The lock makes counting and adding atomic for one address.
    await this.#database.query({
      name: 'mail_delivery.lock_recipient',
      text: 'SELECT pg_advisory_xact_lock(7331011, hashtext($1))',
      values: [recipient.emailKey],
    })
    const { rowCount } = await this.#database.query({
      name: 'mail_delivery.queue', // mail_delivery_user, mail_delivery_recipient
      text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, recipient_key, smtp, language, created_at, due_at)
             SELECT $1::integer, coalesce($2::text, gen_random_uuid()::text), $3::text, $4::text, $5::text,
                    $6::text, $7::text, $8::timestamptz, $8::timestamptz
              WHERE $3 = 'password_changed'
                 OR (SELECT count(*) FROM directory.mail_delivery WHERE user_id = $4 AND created_at > $9::timestamptz) < $10::integer
                AND (SELECT count(*) FROM directory.mail_delivery WHERE recipient_key = $5 AND created_at > $9::timestamptz) < $10::integer
                 ON CONFLICT (day, delivery_id) DO NOTHING`,
      values: [
        dayOf(at),
        id ?? null,
        kind,
        userId,
        recipient.emailKey,
        smtp,
        language ?? null,
        at,
        new Date(at.getTime() - HOUR_MS),
        MOST_PER_HOUR,
      ],
    })
    if (rowCount === 1) return 'queued'
    const { rowCount: sameId } = await this.#database.query({
      name: 'mail_delivery.of_id', // primary key
      text: 'SELECT FROM directory.mail_delivery WHERE day = $1 AND delivery_id = $2',
      values: [dayOf(at), id ?? null],
    })
    return sameId === 1 ? 'repeated' : 'limited'
  }

  /** The organization whose server sends to a person, null for the instance; undefined: there is none. */
  async #smtpOf({ organizationId, reachesFurther }: Recipient): Promise<string | null | undefined> {
    const { rows } = await this.#database.query<{ own: boolean; sendsMail: boolean }>({
      name: 'mail.server_of', // primary key
      text: `SELECT EXISTS (SELECT FROM directory.organization_smtp WHERE organization_id = $1) AS own,
                    sends_mail AS "sendsMail" FROM directory.setting`,
      values: [organizationId],
    })
    const [row] = rows
    if (row?.own && !reachesFurther) return organizationId
    return row?.sendsMail ? null : undefined
  }

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

  async setSendsMail(sendsMail: boolean): Promise<void> {
    await this.#database.query({
      name: 'setting.sends_mail', // one row
      text: 'UPDATE directory.setting SET sends_mail = $1 WHERE sends_mail <> $1',
      values: [sendsMail],
    })
  }
}

import type { Database, Queryable, Statement } from '@signet/platform/postgres/pool'
import { openValue, type RandomBytes, sealValue } from '@signet/platform/sealing/sealed-value'
import { mailRequestPurpose } from '../sealing/purposes.ts'
import { NOTICE_KINDS, type NoticeKind } from './texts/mail.schema.ts'

/** A change of an account of which its person is notified. */
export interface Notice {
  readonly kind: NoticeKind
  readonly userId: string
  readonly at: Date
  /** An administrator made the change, who could send any number: the daily limit of the organization holds. */
  readonly byAdministrator?: boolean
  /** The origin, sealed for the id of the delivery. */
  readonly sealedOrigin?: (deliveryId: string) => Buffer
}

/** The origin of a change: browser and network address of a sign-in, or the administrator who acts as the person. */
export interface NoticeOrigin {
  /** Browser and system, such as `Firefox, Linux`; both are empty where there is no sign-in to tell of. */
  readonly agent: string
  readonly clientAddress: string
  /** Display name. */
  readonly administrator?: string | undefined
  /** Typed by the administrator. */
  readonly reason?: string
}

/** Seals an origin until its message has an outcome. */
export const createOriginSealer =
  (masterKeys: readonly Buffer[], random: RandomBytes) => (origin: NoticeOrigin) => (deliveryId: string) =>
    sealValue(masterKeys, Buffer.from(JSON.stringify(origin)), mailRequestPurpose(deliveryId), random)

/** Opens what `createOriginSealer` sealed; undefined under an unknown key, without which the notice goes out all the same. */
export function openOrigin(
  masterKeys: readonly Buffer[],
  { id, sealedRequest }: { readonly id: string; readonly sealedRequest: Buffer | null },
): NoticeOrigin | undefined {
  const plain = sealedRequest && openValue(masterKeys, sealedRequest, mailRequestPurpose(id))
  return plain ? (JSON.parse(plain.toString('utf8')) as NoticeOrigin) : undefined
}

/** The kind of a delivery that is a requested notice: a round of the outbox looks up the recipient and the limits. */
export type NoticeRequest = `${'notice_request' | 'managed_notice_request'}:${NoticeKind}`

export const NOTICE_REQUESTS = NOTICE_KINDS.flatMap((kind) => [requestOf(kind, false), requestOf(kind, true)])

function requestOf(kind: NoticeKind, byAdministrator: boolean): NoticeRequest {
  return `${byAdministrator ? 'managed_notice_request' : 'notice_request'}:${kind}`
}

const HOUR_MS = 3_600_000
/** Notices of one kind that one person gets within an hour; requests at the same time may exceed it by their number. */
const MOST_OF_A_KIND = 5

/** Requests a notice with the change, in one transaction or neither. */
export async function requestNotice(database: Queryable, notice: Notice): Promise<void> {
  await database.query(noticeRequest(notice))
}

/**
 * Returns the statement that requests a notice. Nothing is stored without an SMTP server or a verified address, so it never
 * refuses the change.
 */
export function noticeRequest({
  kind,
  userId,
  at,
  byAdministrator = false,
  sealedOrigin,
}: Notice): Statement {
  const id = crypto.randomUUID()
  return {
    name: 'mail_delivery.request_notice', // primary keys, mail_delivery_user
    text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, created_at, due_at, sealed_request)
           SELECT $1, $7, $2, a.user_id, $4, $4, $8
             FROM directory.account a CROSS JOIN directory.setting s
            WHERE a.user_id = $3 AND a.kind = 'human' AND a.email IS NOT NULL AND a.email_verified
              AND (s.sends_mail
                   OR EXISTS (SELECT FROM directory.organization_smtp o WHERE o.organization_id = a.organization_id))
              AND (SELECT count(*) FROM directory.mail_delivery d
                    WHERE d.user_id = a.user_id AND d.created_at > $5 AND d.kind = $2) < $6`,
    values: [
      Math.floor(at.getTime() / (24 * HOUR_MS)),
      requestOf(kind, byAdministrator),
      userId,
      at,
      new Date(at.getTime() - HOUR_MS),
      MOST_OF_A_KIND,
      id,
      sealedOrigin?.(id) ?? null,
    ],
  }
}

/**
 * Stores the RP ID of this start. After another one, tells every person with a passkey of the former one that it no longer
 * counts. Of several replicas that start, one requests the notices.
 */
export async function noticeOtherRpId(database: Database, rpId: string | undefined): Promise<void> {
  await database.transaction(async (tx) => {
    const { rows } = await tx.query<{ former: string | null }>({
      name: 'setting.lock_rp_id', // one row
      text: 'SELECT passkey_rp_id AS former FROM directory.setting FOR UPDATE',
    })
    const former = rows[0]?.former ?? null
    if (former === (rpId ?? '')) return
    await tx.query({
      name: 'setting.rp_id', // one row
      text: 'UPDATE directory.setting SET passkey_rp_id = $1',
      values: [rpId ?? ''],
    })
    if (former === null) return
    await tx.query({
      name: 'passkey.stop_of_rp_id', // a scan, once
      text: `SELECT directory.request_stopped_notices(
               ARRAY (SELECT DISTINCT user_id::text FROM directory.passkey WHERE rp_id = $1 AND cloned_at IS NULL))`,
      values: [former],
    })
  })
}

/** The person of a deleted account, as the notice needs them. */
export interface DeletedPerson {
  readonly email: string
  readonly preferredLoginName: string
  readonly preferredLanguage: string | null
}

/**
 * Queues the notice of a deletion in its transaction; `no_server`: nothing is stored. The account is gone when the message is
 * sent, so the row holds the address, the login name and the language, sealed, until there is an outcome. No limit refuses it.
 */
export async function queueDeletionNotice(
  database: Queryable,
  {
    organizationId,
    recipientKey,
    at,
    sealed,
  }: {
    readonly organizationId: string
    readonly recipientKey: Buffer | undefined
    readonly at: Date
    readonly sealed: (id: string) => Buffer
  },
): Promise<'queued' | 'no_server'> {
  const id = crypto.randomUUID()
  const { rowCount } = await database.query({
    name: 'mail_delivery.queue_deletion_notice', // primary key
    text: `INSERT INTO directory.mail_delivery (day, delivery_id, kind, organization_id, recipient_key, smtp, sealed_request,
                                                created_at, due_at)
           SELECT $1, $2, 'account_deleted', $3, $6, o.organization_id, $4, $5, $5
             FROM directory.setting s
             LEFT JOIN directory.organization_smtp o ON o.organization_id = $3
            WHERE s.sends_mail OR o.organization_id IS NOT NULL`,
    values: [Math.floor(at.getTime() / (24 * HOUR_MS)), id, organizationId, sealed(id), at, recipientKey],
  })
  return rowCount === 1 ? 'queued' : 'no_server'
}

/** The notice of a request; undefined for another delivery. */
export function requestedNotice(kind: string): Pick<Notice, 'kind' | 'byAdministrator'> | undefined {
  const found = NOTICE_KINDS.find((known) => kind.endsWith(`:${known}`))
  return found && isNoticeRequest(kind)
    ? { kind: found, byAdministrator: kind === requestOf(found, true) }
    : undefined
}

export function isNoticeRequest(kind: string): kind is NoticeRequest {
  return NOTICE_REQUESTS.some((known) => known === kind)
}

export function isNotice(kind: string): kind is NoticeKind {
  return (NOTICE_KINDS as readonly string[]).includes(kind)
}

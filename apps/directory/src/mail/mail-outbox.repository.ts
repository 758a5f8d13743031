import { type Delivery, PostgresOutbox } from '@signet/platform/outbox/outbox.repository'
import type { Database } from '@signet/platform/postgres/pool'
import type { NoticeRequest } from './notices.ts'
import type { AskedBy } from './queued-message.ts'
import type { MessageKind } from './texts/mail.schema.ts'

/** A message to send, or a request whose login name is not resolved yet. */
export interface MailDelivery extends Delivery {
  readonly kind: MessageKind | 'password_reset_request' | NoticeRequest
  readonly createdAt: Date
  /** Null for a request. */
  readonly userId: string | null
  /** The organization whose SMTP server sends the message; null is the server of the instance. */
  readonly smtp: string | null
  readonly language: string | null
  readonly sealedRequest: Buffer | null
  /** A keyed hash of the address for which the message was counted; null for a request. */
  readonly recipientKey: Buffer | null
  /** The recipient if it is not the address of the account; null after the delivery. */
  readonly address: string | null
  readonly addressKey: string | null
  readonly askedBy: AskedBy | null
  /** The name of the application from which the person came. */
  readonly application: string | null
  /** The name of the account whose call asked for the message; null: there is none, or it was deleted. */
  readonly inviter: string | null
}

/** Creates an outbox for the instance and one for organizations, whose silent SMTP servers then do not delay the instance. */
export function createMailOutboxes(database: Database): readonly PostgresOutbox<MailDelivery>[] {
  const table = {
    table: 'directory.mail_delivery',
    receiver: 'receiver',
    columns:
      'd.kind, d.created_at AS "createdAt", d.user_id AS "userId", d.smtp, d.language, d.sealed_request AS "sealedRequest", d.recipient_key AS "recipientKey", d.address, d.address_key AS "addressKey", d.asked_by AS "askedBy", d.application, (SELECT i.display_name FROM directory.account i WHERE i.user_id = d.asked_by_user) AS inviter',
    cleared: ['sealed_request', 'address', 'address_key'],
  }
  return [
    new PostgresOutbox(database, { ...table, statement: 'mail_delivery.instance', only: 'smtp IS NULL' }),
    new PostgresOutbox(database, { ...table, statement: 'mail_delivery.tenant', only: 'smtp IS NOT NULL' }),
  ]
}

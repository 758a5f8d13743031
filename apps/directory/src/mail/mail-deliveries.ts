import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Logger } from '@signet/platform/logger/logger'
import type { Attempt, Deliveries, TryOutcome } from '@signet/platform/outbox/deliver'
import type { Outbox } from '@signet/platform/outbox/outbox.repository'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { openValue } from '@signet/platform/sealing/sealed-value'
import type { Places } from '@signet/service/places'
import { MASTER_KEY_SETTING, MasterKeyUnknownError, mailRequestPurpose } from '../sealing/purposes.ts'
import type { MailStore } from './mail.repository.ts'
import type { MailDelivery } from './mail-outbox.repository.ts'
import type { MailSecrets } from './mail-secret.ts'
import type { MailTokenStore } from './mail-token.repository.ts'
import type { MessageTextStore } from './message-text.repository.ts'
import {
  type DeletedPerson,
  isNotice,
  isNoticeRequest,
  type NoticeOrigin,
  openOrigin,
  requestedNotice,
} from './notices.ts'
import type { QueueOutcome, Recipient } from './queued-message.ts'
import { messageLanguage, type PlaceholderValues, renderMessage } from './render-message.ts'
import type { OutgoingMail, SmtpServer } from './smtp.ts'
import { MESSAGE_LISTS, type MessageKind, type MessageTexts } from './texts/mail.schema.ts'

export type ResolveRequest = (delivery: MailDelivery) => Promise<void>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The page that the link of a message opens, and how long its token and code count after each try. */
const LINKS = {
  password_reset: { path: '/ui/password/reset', lifetimeMs: HOUR_MS, codeLifetimeMs: 10 * MINUTE_MS },
  email_verification: { path: '/ui/email/verify', lifetimeMs: HOUR_MS, codeLifetimeMs: 10 * MINUTE_MS },
  email_change: { path: '/ui/account/email', lifetimeMs: HOUR_MS, codeLifetimeMs: 10 * MINUTE_MS },
  invitation: { path: '/ui/invitation', lifetimeMs: 7 * 24 * HOUR_MS, codeLifetimeMs: undefined },
} as const

/**
 * The messages that say which account their link is for. A link to a new address does not: a mistyped one belongs to a
 * stranger, and the token counts only in a session of the account.
 */
const NAMES_ACCOUNT: ReadonlySet<string> = new Set<MessageKind>([
  'password_reset',
  'email_verification',
  'invitation',
])

interface Deps {
  readonly issuer: string
  readonly mail: Pick<MailStore, 'findRecipient' | 'recipientKeys'>
  readonly tokens: Pick<MailTokenStore, 'issue'>
  readonly texts: Pick<MessageTextStore, 'find'>
  readonly secrets: MailSecrets
  readonly places: Pick<Places, 'find'>
  readonly masterKeys: readonly Buffer[]
  readonly resolveRequest: ResolveRequest
  /** Queues the message of a requested notice, once however often it is called. */
  readonly resolveNotice: ResolveNotice
  /** The server of an organization, or with null that of the instance; undefined: there is none. */
  readonly findServer: (organizationId: string | null) => Promise<SmtpServer | undefined>
  readonly send: (server: SmtpServer, mail: OutgoingMail) => Promise<Attempt>
  readonly record: (tx: Queryable, event: AuditEvent) => Promise<void>
  readonly logger: Logger
  readonly now: Clock
  /** Called after each try. */
  readonly count: (outcome: TryOutcome) => void
}

const KEY_UNKNOWN = 'master_key_unknown'

const LINES = {
  delivered: ['info', 'mail_delivered'],
  postponed: ['warn', 'mail_not_delivered'],
  given_up: ['error', 'mail_given_up'],
} as const

/** The messages of one outbox: a repeated one has the same Message-ID and link. */
export function createMailDeliveries(deps: Deps, outbox: Outbox<MailDelivery>): Deliveries<MailDelivery> {
  return {
    outbox,
    now: deps.now,
    async deliver(delivery) {
      try {
        return await deliver(deps, delivery)
      } catch (error) {
        // Tried again like a failure of the server: the operator may list the key again.
        if (error instanceof MasterKeyUnknownError) return { accepted: false, reason: KEY_UNKNOWN }
        throw error
      }
    },
    recordGivenUp: (tx, delivery, reason) => deps.record(tx, givenUpEvent(delivery, reason)),
    report({ delivery: { id, kind, userId }, outcome, attempt, reason }) {
      deps.count(outcome)
      const [level, message] = LINES[outcome]
      deps.logger[level](message, {
        targetId: id,
        kind,
        ...(userId !== null && { userId }),
        attempt,
        ...(reason !== undefined && { reason }),
        ...(reason === KEY_UNKNOWN && { name: MASTER_KEY_SETTING }),
      })
    },
    onError: (error) => deps.logger.warn('mail_delivery_failed', { error }),
  }
}

async function deliver(deps: Deps, delivery: MailDelivery): Promise<Attempt> {
  const { kind } = delivery
  if (kind === 'password_reset_request') {
    await deps.resolveRequest(delivery)
    return { accepted: true }
  }
  if (isNoticeRequest(kind)) {
    await deps.resolveNotice(delivery)
    return { accepted: true }
  }
  if (kind === 'account_deleted') return deliverDeletionNotice(deps, delivery)
  const { userId, address, addressKey } = delivery
  const to = address === null || addressKey === null ? undefined : { address, key: addressKey }
  const recipient = userId === null ? undefined : await deps.mail.findRecipient(userId, to)
  // Deactivated, deleted, or without an address by now: there is nothing to send.
  if (recipient === undefined || !recipient.active) return { accepted: true }
  const { recipientKey } = delivery
  // It was counted for another address, and may not be for the person who has this one.
  if (
    recipientKey !== null &&
    !deps.mail.recipientKeys(recipient.emailKey).some((key) => key.equals(recipientKey))
  )
    return { accepted: false, reason: 'address_changed', isFinal: true }
  if ((kind === 'password_reset' || isNotice(kind)) && !recipient.emailVerified)
    return { accepted: false, reason: 'address_not_verified', isFinal: true }
  // It was not counted for the server of the instance, so it does not go there either.
  if (delivery.smtp !== null && recipient.reachesFurther)
    return { accepted: false, reason: 'smtp_server_not_allowed', isFinal: true }
  const server = await deps.findServer(delivery.smtp)
  if (server === undefined) return { accepted: false, reason: 'no_smtp_server' }
  const language = messageLanguage(delivery.language ?? recipient.preferredLanguage)
  const message = renderMessage({
    kind,
    language,
    texts: await findTexts(deps, recipient, kind, language),
    values: valuesOf(recipient, delivery.createdAt),
    ...(await issueLink(deps, delivery, kind, recipient)),
    ...(isNotice(kind) && { from: originIn(deps, delivery, language) }),
    ...(NAMES_ACCOUNT.has(kind) && {
      about: {
        loginName: recipient.preferredLoginName,
        organization: recipient.organizationName,
        application: delivery.application,
        askedBy: delivery.askedBy,
        inviter: delivery.inviter,
      },
    }),
  })
  return deps.send(server, { ...message, to: recipient.email, messageId: messageIdOf(deps, delivery) })
}

/** The sign-in of a notice, with the place of its address in the language of the message. */
function originIn({ masterKeys, places }: Deps, delivery: MailDelivery, language: string) {
  const origin = openOrigin(masterKeys, delivery)
  return origin && { ...origin, place: places.find(origin.clientAddress, language) }
}

/** The account is gone: the row holds the person. */
async function deliverDeletionNotice(deps: Deps, delivery: MailDelivery): Promise<Attempt> {
  const { id, sealedRequest, smtp, createdAt } = delivery
  if (sealedRequest === null) return { accepted: false, reason: 'no_recipient', isFinal: true }
  const plain = openValue(deps.masterKeys, sealedRequest, mailRequestPurpose(id))
  if (plain === undefined) throw new MasterKeyUnknownError('the notice of a deleted account')
  const person = JSON.parse(plain.toString('utf8')) as DeletedPerson
  const server = await deps.findServer(smtp)
  if (server === undefined) return { accepted: false, reason: 'no_smtp_server' }
  const message = renderMessage({
    kind: 'account_deleted',
    language: messageLanguage(person.preferredLanguage),
    texts: {},
    values: { PreferredLoginName: person.preferredLoginName, Time: timeOf(createdAt) },
  })
  return deps.send(server, { ...message, to: person.email, messageId: messageIdOf(deps, delivery) })
}

const messageIdOf = ({ issuer }: Deps, { day, id }: MailDelivery) =>
  `${day}.${id}@${new URL(issuer).hostname}`

/** The link and the code of a message. Links begin with the issuer; no request has an influence on them. */
async function issueLink(
  { issuer, tokens, secrets, now }: Deps,
  { day, id }: MailDelivery,
  kind: Exclude<MessageKind, 'account_deleted'>,
  recipient: Recipient,
): Promise<{ readonly link?: string; readonly code?: string }> {
  if (isNotice(kind)) return {}
  const { path, lifetimeMs, codeLifetimeMs } = LINKS[kind]
  const secret = secrets.of({ day, id })
  const at = now().getTime()
  const codeExpiresAt = codeLifetimeMs === undefined ? undefined : new Date(at + codeLifetimeMs)
  await tokens.issue({
    delivery: { day, id },
    purpose: kind,
    recipient: { ...recipient, emailKey: recipient.accountEmailKey },
    ...(kind === 'email_change' && {
      newEmail: { address: recipient.email, key: recipient.emailKey },
    }),
    secret,
    expiresAt: new Date(at + lifetimeMs),
    codeExpiresAt,
  })
  const link = `${issuer}${path}?token=${secret.token}`
  return codeExpiresAt === undefined ? { link } : { link, code: secret.code }
}

async function findTexts(
  { texts }: Deps,
  { organizationId, reachesFurther }: Recipient,
  kind: MessageKind,
  language: string,
): Promise<MessageTexts> {
  const known = Object.values(MESSAGE_LISTS).find((message) => message.kind === kind)
  if (known === undefined || reachesFurther) return {}
  return storedTexts(await texts.find(organizationId, known.list, language))
}

/** The members of a stored record that are texts; an import may have brought others. */
export function storedTexts(record: Readonly<Record<string, unknown>> | undefined): MessageTexts {
  return Object.fromEntries(
    Object.entries(record ?? {}).filter(([, value]) => typeof value === 'string'),
  ) as MessageTexts
}

function valuesOf(recipient: Recipient, at: Date): PlaceholderValues {
  const { preferredLoginName, userName, displayName, givenName, familyName, nickname, email } = recipient
  return {
    PreferredLoginName: preferredLoginName,
    UserName: userName,
    DisplayName: displayName,
    FirstName: givenName ?? '',
    LastName: familyName ?? '',
    NickName: nickname ?? '',
    LastEmail: email,
    Time: timeOf(at),
  }
}

const timeOf = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

function givenUpEvent({ id, kind, userId }: MailDelivery, reason: string): AuditEvent {
  return {
    actor: { kind: 'service' },
    action: 'mail.delivery',
    target: userId === null ? { kind: 'mail', id } : { kind: 'user', id: userId },
    result: 'failed',
    details: { kind, reason },
  }
}

export type ResolveNotice = (delivery: MailDelivery) => Promise<void>

interface ResolveNoticeDeps {
  /** Queues a message and records its event in one transaction. */
  readonly queue: (message: Parameters<MailStore['queue']>[0]) => Promise<QueueOutcome>
  readonly masterKeys: readonly Buffer[]
  readonly sealOrigin: (origin: NoticeOrigin) => (deliveryId: string) => Buffer
  readonly logger: Logger
}

/**
 * Queues the message of a requested notice, once however often it is called. The daily limit of the organization refuses
 * those of sign-ins and of administrators, of which there can be many.
 */
export function createResolveNotice({
  queue,
  masterKeys,
  sealOrigin,
  logger,
}: ResolveNoticeDeps): ResolveNotice {
  return async (delivery) => {
    const { id: requestId, kind, userId, createdAt } = delivery
    const notice = requestedNotice(kind)
    if (userId === null || notice === undefined) return
    const byRecipient = notice.kind !== 'new_sign_in' && !notice.byAdministrator
    const id = `${requestId}.message`
    const origin = openOrigin(masterKeys, delivery)
    const sealedOrigin = origin && sealOrigin(origin)(id)
    const outcome = await queue({ kind: notice.kind, userId, at: createdAt, id, byRecipient, sealedOrigin })
    if (outcome === 'queued' || outcome === 'repeated') return
    logger.warn('mail_not_queued', { userId, reason: outcome, kind: notice.kind })
  }
}

import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requirePerson } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MailStore } from './mail.repository.ts'
import type { QueueOutcome, Recipient } from './queued-message.ts'
import type { MessageKind } from './texts/mail.schema.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly mail: MailStore
}

interface Target {
  readonly userId: string
}

interface InvitationTarget extends Target {
  /** The application that the person is invited to. */
  readonly clientId?: string | undefined
}

type Services = Pick<Tools, 'now'>

/**
 * Sends a person without a password a link to choose one; it proves the address, too. Message and page name the caller and
 * the application, to which the page leads on.
 */
export function inviteUser(
  call: ManagementCall<Stores>,
  target: InvitationTarget,
  services: Services,
): Promise<void> {
  return send(call, target, services, 'invitation', invitationProblem)
}

/** Queues the invitation of a person, in the transaction of the caller. Throws ApiError where none may be sent. */
export function queueInvitation(
  stores: Stores,
  target: InvitationTarget & { readonly askedByUser: string },
  at: Date,
): Promise<void> {
  return queueMessage(stores, target, at, { kind: 'invitation', problemOf: invitationProblem })
}

function invitationProblem({ hasPassword, allowsPassword }: Recipient): Problem | undefined {
  if (hasPassword)
    return ['the user has a password already; send a password reset instead', 'user_has_password']
  return allowsPassword
    ? undefined
    : [
        'the login policy of the organization forbids passwords (allowUsernamePassword), and an invitation is a link to choose one',
        'password_sign_in_not_allowed',
      ]
}

export function sendPasswordReset(
  call: ManagementCall<Stores>,
  target: Target,
  services: Services,
): Promise<void> {
  return send(call, target, services, 'password_reset', ({ emailVerified, offersReset }) => {
    if (!emailVerified)
      return [
        'the e-mail address of the user is not verified; a link could reach a stranger',
        'email_unverified',
      ]
    return offersReset
      ? undefined
      : ['the login policy of the organization hides the reset of passwords', 'password_reset_hidden']
  })
}

export function sendEmailVerification(
  call: ManagementCall<Stores>,
  target: Target,
  services: Services,
): Promise<void> {
  return send(call, target, services, 'email_verification', ({ emailVerified }) =>
    emailVerified ? ['the e-mail address of the user is verified already', 'email_verified'] : undefined,
  )
}

type Problem = readonly [message: string, reason: string]

function send(
  call: ManagementCall<Stores>,
  target: InvitationTarget,
  { now }: Services,
  kind: MessageKind,
  problemOf: (recipient: Recipient) => Problem | undefined,
): Promise<void> {
  return call.change(async (stores) => {
    const askedByUser = call.caller.userId
    await queueMessage(stores, { ...target, askedByUser }, now(), { kind, problemOf })
    return { result: undefined }
  })
}

async function queueMessage(
  { accounts, mail }: Stores,
  { userId, clientId, askedByUser }: InvitationTarget & { readonly askedByUser: string },
  at: Date,
  {
    kind,
    problemOf,
  }: { readonly kind: MessageKind; readonly problemOf: (recipient: Recipient) => Problem | undefined },
): Promise<void> {
  await requirePerson(accounts, userId, 'messages')
  const recipient = await mail.findRecipient(userId)
  const problem = recipient && problemOf(recipient)
  if (problem !== undefined) throw new ApiError('FAILED_PRECONDITION', problem[0], { reason: problem[1] })
  if (recipient !== undefined && clientId !== undefined) await requireApplication(mail, recipient, clientId)
  await queue(mail, { kind, userId, clientId, at, askedBy: 'administrator', askedByUser })
}

async function requireApplication(
  mail: MailStore,
  { organizationId }: Recipient,
  clientId: string,
): Promise<void> {
  if (await mail.isApplicationOf(organizationId, clientId)) return
  const rule =
    'must be the client id of an active application of the organization of the user, or of a project that is granted to it'
  throw invalidFields([{ field: 'clientId', rule }])
}

async function queue(mail: Stores['mail'], message: Parameters<typeof mail.queue>[0]): Promise<void> {
  const outcome = await mail.queue(message)
  if (outcome === 'queued' || outcome === 'repeated') return
  const { code, text } = REFUSALS[outcome]
  throw new ApiError(code, text, { reason: `mail_${outcome}` })
}

const REFUSALS: Readonly<
  Record<
    Exclude<QueueOutcome, 'queued' | 'repeated'>,
    { code: 'FAILED_PRECONDITION' | 'RESOURCE_EXHAUSTED'; text: string }
  >
> = {
  no_address: {
    code: 'FAILED_PRECONDITION',
    text: 'the user has no e-mail address, or is not active; give an address or activate the user first',
  },
  no_server: {
    code: 'FAILED_PRECONDITION',
    text: 'there is no SMTP server for this user; set one for the organization, or SIGNET_SMTP_URL',
  },
  limited: {
    code: 'RESOURCE_EXHAUSTED',
    text: 'the user or the address got five messages within an hour; wait before the next one',
  },
  organization_limited: {
    code: 'RESOURCE_EXHAUSTED',
    text: 'the organization sent as many messages through the SMTP server of the instance within 24 hours as SIGNET_SMTP_DAILY_LIMIT of the directory service allows; wait, or set an SMTP server of the organization',
  },
}

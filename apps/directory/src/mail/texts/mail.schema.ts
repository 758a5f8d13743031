import { MESSAGE_VARIABLES } from '@signet/protocol/placeholder'
import { z } from 'zod'
import { email } from '../../schema/fields.ts'

/** Messages that tell a person about a change of their account and ask for nothing. */
export const NOTICE_KINDS = [
  'password_changed',
  'email_changed',
  'new_sign_in',
  'factor_added',
  'factor_removed',
  'factor_stopped',
  'impersonation_begun',
] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** The messages that Signet sends, by the kind of their delivery. */
const MESSAGE_KINDS = [
  'password_reset',
  'email_verification',
  'invitation',
  'email_change',
  'account_deleted',
  ...NOTICE_KINDS,
] as const

export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** Messages whose texts an organization may replace, with the list of the export format that holds them. */
export const MESSAGE_LISTS = {
  'password-reset': { kind: 'password_reset', list: 'passwordResetMessages' },
  'email-verification': { kind: 'email_verification', list: 'verifyEmailMessages' },
  invitation: { kind: 'invitation', list: 'inviteUserMessages' },
  'password-changed': { kind: 'password_changed', list: 'passwordChangeMessages' },
  'new-sign-in': { kind: 'new_sign_in', list: 'newSignInMessages' },
  'factor-added': { kind: 'factor_added', list: 'factorAddedMessages' },
  'factor-removed': { kind: 'factor_removed', list: 'factorRemovedMessages' },
} as const

const headerText = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must have no control characters')

/** The ports of mail servers. An organization that could name others could probe services with them. */
const SMTP_PORTS = [25, 465, 587, 2525]

const smtpServer = {
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an IP address')
    .describe('Host of the SMTP server; an internal address is not called.'),
  port: z
    .number()
    .int()
    .refine((port) => SMTP_PORTS.includes(port), `must be one of ${SMTP_PORTS.join(', ')}`),
  tls: z
    .enum(['implicit', 'starttls'])
    .describe(
      'implicit: TLS from the first byte (port 465); starttls: STARTTLS, without which nothing is sent.',
    ),
  senderAddress: email.describe('The address in From.'),
}
const smtpOptions = {
  userName: z.string().min(1).max(320),
  password: z.string().min(1).max(1000).describe('Stored sealed; no answer shows it.'),
  senderName: headerText(200).describe('The name in From.'),
}

export const USER_NAME_WITH_PASSWORD = 'userName and password belong together: give both or neither'

/** The SMTP server of an organization: body of the management API. */
export const smtpSettings = z
  .strictObject({ ...smtpServer, ...z.object(smtpOptions).partial().shape })
  .refine(
    ({ userName, password }) => (userName === undefined) === (password === undefined),
    USER_NAME_WITH_PASSWORD,
  )

export type SmtpSettings = z.output<typeof smtpSettings>

/** The members that a change may name; null takes one away. */
export const smtpChanges = {
  ...smtpServer,
  userName: smtpOptions.userName.nullable(),
  password: smtpOptions.password.nullable(),
  senderName: smtpOptions.senderName.nullable(),
}

const changes = z.object(smtpChanges).partial()
export type SmtpChanges = z.output<typeof changes>

/** The same without the password. */
export const shownSmtpSettings = z
  .strictObject({
    host: z.string(),
    port: z.number(),
    tls: z.enum(['implicit', 'starttls']),
    userName: z.string().optional(),
    senderAddress: z.string(),
    senderName: z.string().optional(),
  })
  .meta({ id: 'SmtpSettings' })

/** A name that texts may hold as `{{.Name}}`. */
export type Placeholder = (typeof MESSAGE_VARIABLES)[number]

const text = (most: number) =>
  headerOrText(most).refine(
    (value) =>
      [...value.matchAll(/\{\{(.*?)\}\}/g)].every(([, inner = '']) =>
        (MESSAGE_VARIABLES as readonly string[]).includes(inner.trim().replace(/^\./, '')),
      ),
    `may have these placeholders only: ${MESSAGE_VARIABLES.map((name) => `{{.${name}}}`).join(' ')}`,
  )

function headerOrText(most: number) {
  return z
    .string()
    .max(most, `must have at most ${most} characters`)
    .regex(/^[\P{Cc}\n]*$/u, 'must have no control characters but line feeds')
}

/** The texts of a message, by the names of the export format; a missing or empty one has its default. */
export const messageTexts = z.strictObject({
  title: text(500).optional(),
  preHeader: text(500).optional(),
  subject: text(500)
    .regex(/^[^\n]*$/, 'must be one line')
    .optional(),
  greeting: text(1000).optional(),
  text: text(10_000).optional(),
  buttonText: text(1000).optional(),
  footerText: text(8000).optional(),
})

export type MessageTexts = { readonly [Name in keyof z.output<typeof messageTexts>]?: string | undefined }

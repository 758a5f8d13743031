import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { invitedTo, organizationId, patch, userId } from '../api/parameters.ts'
import {
  managesAccounts,
  managesInstance,
  managesOrganization,
  onInstance,
  onOrganization,
  onUser,
  viewsOrganization,
} from '../permissions/permission.ts'
import { email } from '../schema/fields.ts'
import {
  type MessageName,
  previewMessage,
  readMessageTexts,
  resetMessageTexts,
  setMessageTexts,
  updateMessageTexts,
} from './message-texts.service.ts'
import {
  deleteSmtp,
  readSmtp,
  setSmtp,
  testInstanceSmtp,
  testSmtp,
  updateSmtp,
} from './smtp-settings.service.ts'
import {
  MESSAGE_LISTS,
  messageTexts,
  shownSmtpSettings,
  smtpChanges,
  smtpSettings,
} from './texts/mail.schema.ts'
import { inviteUser, sendEmailVerification, sendPasswordReset } from './user-mail.service.ts'

const SMTP = '/management/v1/organizations/{organizationId}/smtp'
const TEXTS = '/management/v1/organizations/{organizationId}/message-texts/{message}/{language}'
const ofOrganization = { kind: 'organization', field: 'organizationId' }
const ofUser = { kind: 'user', field: 'userId' }

const testMail = z.strictObject({ to: email.describe('Where the test message goes.') })
const testResult = z
  .strictObject({
    accepted: z.boolean(),
    reason: z
      .string()
      .optional()
      .describe(
        'status_ and the reply code of SMTP, or address_refused, authentication_failed, connection_failed, host_unknown, timed_out, tls_failed.',
      ),
  })
  .meta({ id: 'MailTestResult' })

const message = z
  .enum(Object.keys(MESSAGE_LISTS) as [MessageName, ...MessageName[]])
  .describe('The message.')
  .meta({ examples: ['password-reset'] })
const language = z
  .enum(UI_LOCALES)
  .describe('The language of the texts.')
  .meta({ examples: ['en'] })
const shownTexts = z
  .strictObject({
    isDefault: z.boolean().describe('The organization has no texts of its own.'),
    texts: messageTexts,
    effective: messageTexts.describe('The texts that are sent.'),
  })
  .meta({ id: 'MessageTexts' })

export const mailOperations = [
  operation({
    id: 'smtp.read',
    summary: 'Shows the SMTP server of an organization',
    method: 'get',
    path: SMTP,
    parameters: { organizationId },
    response: shownSmtpSettings,
    permission: onOrganization(viewsOrganization),
    target: ofOrganization,
    handle: readSmtp,
  }),
  operation({
    id: 'smtp.set',
    summary: 'Sets the SMTP server of an organization',
    description:
      'As a whole, with the password. Without one the server of the instance sends. Messages for persons with roles of the instance or in other organizations always go by the server of the instance.',
    method: 'put',
    path: SMTP,
    parameters: { organizationId },
    request: smtpSettings,
    example: {
      host: 'smtp.acme.example',
      port: 587,
      tls: 'starttls',
      userName: 'signet',
      password: 'secret of the server',
      senderAddress: 'id@acme.example',
    },
    response: shownSmtpSettings,
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: setSmtp,
  }),
  operation({
    id: 'smtp.update',
    summary: 'Changes the SMTP server of an organization',
    description:
      'A member that is left out stays as it is; null takes userName, password and senderName away. Another host, port or tls needs the password again, where there is one: the stored one is for the server of before.',
    method: 'patch',
    path: SMTP,
    parameters: { organizationId },
    request: patch(smtpChanges),
    example: { senderName: 'ACME' },
    response: shownSmtpSettings,
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: updateSmtp,
  }),
  operation({
    id: 'smtp.delete',
    summary: 'Lets the server of the instance send the messages of an organization',
    method: 'delete',
    path: SMTP,
    parameters: { organizationId },
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: deleteSmtp,
  }),
  operation({
    id: 'smtp.test',
    summary: 'Sends a test message through the SMTP server of an organization',
    method: 'post',
    path: `${SMTP}/test`,
    parameters: { organizationId },
    request: testMail,
    example: { to: 'alice@acme.example' },
    response: testResult,
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: testSmtp,
  }),
  operation({
    id: 'mail.test',
    summary: 'Sends a test message through the SMTP server of the instance',
    method: 'post',
    path: '/management/v1/mail/test',
    request: testMail,
    example: { to: 'alice@acme.example' },
    response: testResult,
    permission: onInstance(managesInstance),
    target: { kind: 'instance', id: 'mail' },
    handle: testInstanceSmtp,
  }),
  operation({
    id: 'message_text.read',
    summary: 'Shows the texts of a message of an organization',
    method: 'get',
    path: TEXTS,
    parameters: { organizationId, message, language },
    response: shownTexts,
    permission: onOrganization(viewsOrganization),
    target: ofOrganization,
    handle: readMessageTexts,
  }),
  operation({
    id: 'message_text.set',
    summary: 'Sets the texts of a message of an organization',
    description:
      'As a whole: a text that is left out has its default. Texts are plain text. An export holds them, and an import sets them.',
    method: 'put',
    path: TEXTS,
    parameters: { organizationId, message, language },
    request: messageTexts,
    example: { subject: 'Your ACME password', greeting: 'Hello {{.FirstName}},' },
    response: shownTexts,
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: setMessageTexts,
  }),
  operation({
    id: 'message_text.update',
    summary: 'Changes texts of a message of an organization',
    description:
      'A text that is left out stays as it is; an empty one gets its default. Texts are plain text. An export holds them, and an import sets them.',
    method: 'patch',
    path: TEXTS,
    parameters: { organizationId, message, language },
    request: patch(messageTexts.shape),
    example: { greeting: 'Hello {{.FirstName}},' },
    response: shownTexts,
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: updateMessageTexts,
  }),
  operation({
    id: 'message_text.reset',
    summary: 'Lets the default texts of a message hold in an organization',
    method: 'delete',
    path: TEXTS,
    parameters: { organizationId, message, language },
    permission: onOrganization(managesOrganization),
    target: ofOrganization,
    handle: resetMessageTexts,
  }),
  operation({
    id: 'message_text.preview',
    summary: 'Shows a message of an organization with sample values',
    method: 'get',
    path: `${TEXTS}/preview`,
    parameters: { organizationId, message, language },
    response: z
      .strictObject({ subject: z.string(), text: z.string(), html: z.string() })
      .meta({ id: 'MessagePreview' }),
    permission: onOrganization(viewsOrganization),
    target: ofOrganization,
    handle: previewMessage,
  }),
  operation({
    id: 'user.invite',
    summary: 'Sends a person a link to choose the first password',
    description:
      'Valid for seven days, once. Message and page name the caller. Choosing the password proves the e-mail address. Refused where the login policy forbids passwords, when it is sent and when it is accepted.',
    method: 'post',
    path: '/management/v1/users/{userId}/invitation',
    parameters: { userId },
    query: {
      clientId: invitedTo,
    },
    permission: onUser(managesAccounts),
    target: ofUser,
    handle: inviteUser,
  }),
  operation({
    id: 'user.send_password_reset',
    summary: 'Sends a person a link to choose another password',
    method: 'post',
    path: '/management/v1/users/{userId}/password-reset',
    parameters: { userId },
    permission: onUser(managesAccounts),
    target: ofUser,
    handle: sendPasswordReset,
  }),
  operation({
    id: 'user.send_email_verification',
    summary: 'Sends a person a link that proves the e-mail address',
    method: 'post',
    path: '/management/v1/users/{userId}/email-verification',
    parameters: { userId },
    permission: onUser(managesAccounts),
    target: ofUser,
    handle: sendEmailVerification,
  }),
]

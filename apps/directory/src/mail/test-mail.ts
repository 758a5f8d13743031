import type { Attempt } from '@signet/platform/outbox/deliver'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { SendMail, SmtpServer } from './smtp.ts'

/** Sends one message now, without the outbox, so that the caller sees the result. */
export type SendTestMail = (server: SmtpServer, to: string) => Promise<Attempt>

export function createTestMailSender(send: SendMail, issuer: string, random: RandomBytes): SendTestMail {
  return (server, to) =>
    send(server, {
      to,
      messageId: `${random(16).toString('hex')}@${new URL(issuer).hostname}`,
      subject: 'Test message',
      text: `This is a test message of ${issuer}.\n`,
      html: `<p>This is a test message of ${issuer}.</p>\n`,
    })
}

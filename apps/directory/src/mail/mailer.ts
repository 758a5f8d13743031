import type { BlockList } from 'node:net'
import type { SmtpConfig } from '@signet/platform/config/smtp-settings'
import { createSmtpSender, type OutgoingMail, type SendMail, type SmtpServer, smtpServerOf } from './smtp.ts'

/** Takes the messages of an instance without an SMTP server, on the machine of its developer. */
export type Mailbox = (mail: OutgoingMail) => void

/** The sending of messages: the server of the instance, if there is one, and the connection to any server. */
export interface Mailer {
  readonly instanceSmtp: SmtpServer | undefined
  readonly send: SendMail
}

/** Creates a mailer. Without a server the messages of the instance go to the mailbox, if there is one. */
export function createMailer(
  { smtp, outboundAllow }: { readonly smtp?: SmtpConfig | undefined; readonly outboundAllow: BlockList },
  mailbox: Mailbox | undefined,
): Mailer {
  const overSmtp = createSmtpSender({ allow: outboundAllow })
  const server = smtp && smtpServerOf(smtp.url.reveal(), smtp.sender)
  if (server !== undefined || mailbox === undefined) return { instanceSmtp: server, send: overSmtp }
  const instanceSmtp = {
    host: 'mailbox',
    port: 25,
    tls: 'opportunistic',
    senderAddress: 'signet@localhost',
    isGuarded: false,
  } as const
  return {
    instanceSmtp,
    async send(to, mail) {
      if (to !== instanceSmtp) return overSmtp(to, mail)
      mailbox(mail)
      return { accepted: true }
    },
  }
}

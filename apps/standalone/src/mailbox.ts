import type { RequestListener } from 'node:http'
import { html } from '@signet/http/html'

/** A message as it would have been sent. */
interface ReceivedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The messages of an instance without an SMTP server, on the machine of a developer. */
export interface Mailbox {
  accept(mail: ReceivedMail): void
  /** The page with the newest messages. It answers requests for the issuer's own host only. */
  readonly page: RequestListener
}

export const MAILBOX_PATH = '/ui/mailbox'
const KEPT = 50

/** `write` prints a line for each message: recipient, subject, link. */
export function createMailbox(issuer: string, write: (line: string) => void): Mailbox {
  const { host } = new URL(issuer)
  const received: ReceivedMail[] = []
  return {
    accept(mail) {
      received.unshift(mail)
      received.splice(KEPT)
      const link = /https?:\/\/\S+/.exec(mail.text)?.[0] ?? ''
      write(`mail to ${mail.to}: ${mail.subject} ${link}\n`)
    },
    page(req, res) {
      // A foreign name that resolves to loopback (DNS rebinding) must not read the messages.
      if (req.headers.host !== host || (req.method !== 'GET' && req.method !== 'HEAD')) {
        res.writeHead(404).end()
        return
      }
      res.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy':
          "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      res.end(mailboxPage(received))
    },
  }
}

function mailboxPage(mails: readonly ReceivedMail[]): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mailbox · Signet</title></head>
<body>
<main>
<h1>Mailbox</h1>
<p>Messages that Signet would have sent. SIGNET_SMTP_URL is not set.</p>
${mails.length === 0 && html`<p>There are no messages.</p>`}
${mails.map(({ to, subject, text }) => html`<article><h2>${subject}</h2><p>${to}</p>${paragraphs(text)}</article>\n`)}
</main>
</body>
</html>
`.markup
}

function paragraphs(text: string) {
  return text.split('\n').map((line) => {
    const isLink = /^https?:\/\/\S+$/.test(line)
    return isLink ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`
  })
}

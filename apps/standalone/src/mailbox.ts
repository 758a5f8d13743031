import type { RequestListener } from 'node:http'
import { type Html, html } from '@signet/http/html'
import { createEnglishLayout } from '@signet/login/pages/english-page'
import type { Clock } from '@signet/platform/runtime/clock'

/** A message as it would have been sent. */
interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

interface ReceivedMail extends Mail {
  readonly at: Date
}

/** The messages of an instance without an SMTP server, on the machine of a developer. */
export interface Mailbox {
  accept(mail: Mail): void
  /** The page with the newest messages. It answers requests for the issuer's own host only. */
  readonly page: RequestListener
}

interface MailboxOptions {
  readonly issuer: string
  readonly now: Clock
  /** Prints a line for each message: recipient, subject, link. */
  readonly write: (line: string) => void
}

export const MAILBOX_PATH = '/ui/mailbox'
const KEPT = 50

export function createMailbox({ issuer, now, write }: MailboxOptions): Mailbox {
  const { host } = new URL(issuer)
  const layout = createEnglishLayout()
  const received: ReceivedMail[] = []
  return {
    accept(mail) {
      received.unshift({ ...mail, at: now() })
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
      const sought = new URL(req.url ?? '', issuer).searchParams.get('to')?.trim() ?? ''
      res.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy':
          "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      res.end(layout({ title: 'Mailbox', content: mailboxPage(received, sought) }))
    },
  }
}

/** The messages to addresses that contain a text, newest first. */
function mailboxPage(mails: readonly ReceivedMail[], sought: string): Html {
  const shown = mails.filter(({ to }) => to.toLowerCase().includes(sought.toLowerCase()))
  return html`<h1>Mailbox</h1>
<p class="intro">Signet would have sent these messages. It sends none, because SIGNET_SMTP_URL is not set. The newest ${KEPT} are kept until it stops.</p>
<form method="get" action="${MAILBOX_PATH}" role="search">
<label for="mailbox-to">Recipient</label>
<input id="mailbox-to" name="to" type="search" value="${sought}" autocomplete="off" placeholder="name@example.com">
<button type="submit" class="second">Show</button>
</form>
<p id="mailbox-count" role="status">${countText(shown.length, mails.length)}${sought !== '' && html` <a href="${MAILBOX_PATH}">Show all</a>`}</p>
${shown.map(message)}<p class="also"><a href="/">Start page</a></p>`
}

function countText(shown: number, all: number): string {
  if (all === 0) return 'There are no messages.'
  return shown === all ? `Messages: ${all}.` : `Messages: ${shown} of ${all}.`
}

function message({ to, subject, text, at }: ReceivedMail): Html {
  const time = at.toISOString()
  return html`<article class="message">
<h2>${subject}</h2>
<p class="quiet"><a href="${MAILBOX_PATH}?${new URLSearchParams({ to }).toString()}">${to}</a> · <time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></p>
${paragraphs(text)}</article>
`
}

function paragraphs(text: string): readonly Html[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const isLink = /^https?:\/\/\S+$/.test(line)
    return isLink ? html`<p><a href="${line}">${line}</a></p>\n` : html`<p>${line}</p>\n`
  })
}

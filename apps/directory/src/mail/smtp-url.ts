import type { SmtpServer } from './smtp.ts'

/**
 * The SMTP server of the instance: `smtp://user:pass@host:587` with STARTTLS, or `smtps://` with TLS from the first byte.
 * With a user name STARTTLS is required, unless the server is on this machine.
 */
export function smtpServerOf(url: string, sender: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isImplicit = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(host)
  const startTls = username !== '' && !isLocal ? 'starttls' : 'opportunistic'
  const [, name, address = sender] = /^(.*)<([^<>]+)>$/.exec(sender) ?? []
  return {
    host,
    port: port === '' ? (isImplicit ? 465 : 587) : Number(port),
    tls: isImplicit ? 'implicit' : startTls,
    ...(username !== '' && {
      userName: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }),
    senderAddress: address.trim(),
    senderName: name?.trim() || undefined,
    isGuarded: false,
  }
}

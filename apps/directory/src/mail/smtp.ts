import { type BlockList, connect, isIP, type Socket } from 'node:net'
import { createAddressPolicy } from '@signet/platform/outbound-http/address-policy'
import {
  createGuardedLookup,
  OutboundError,
  type Resolve,
  refusal,
  systemResolve,
} from '@signet/platform/outbound-http/guarded-agents'
import type { Attempt } from '@signet/platform/outbox/deliver'
import { createTransport } from 'nodemailer'
import type { RenderedMessage } from './render-message.ts'

/** SMTP server (RFC 5321) and the sender of the messages that go through it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** `implicit`: RFC 8314 section 3; `starttls`: required; `opportunistic`: STARTTLS where it is offered. */
  readonly tls: 'implicit' | 'starttls' | 'opportunistic'
  readonly userName?: string | undefined
  readonly password?: string | undefined
  readonly senderAddress: string
  readonly senderName?: string | undefined
  /** Whether its address goes through the rules for outbound connections: true for a server that a tenant named. */
  readonly isGuarded: boolean
}

/** A message for one recipient. */
export interface OutgoingMail extends RenderedMessage {
  readonly to: string
  /** Message-ID without angle brackets; the same in every try (RFC 5322 section 3.6.4). */
  readonly messageId: string
}

/** Sends one message. A failure is a result; `isFinal` when the server refused recipient or content for good. */
export type SendMail = (server: SmtpServer, mail: OutgoingMail) => Promise<Attempt>

interface Options {
  /** Networks beside the public Internet that a guarded server may be in. */
  readonly allow: BlockList
  readonly resolve?: Resolve
  /** PEM of a further authority. */
  readonly ca?: string
  /** The longest silence of a server; the whole try takes at most three times as long. */
  readonly silenceMs?: number
}

/** Three times as long is less than the lease of a delivery. */
const SILENCE_MS = 10_000

/** Sends through nodemailer, one connection for each message. */
export function createSmtpSender(options: Options): SendMail {
  const { allow, resolve = systemResolve, ca, silenceMs = SILENCE_MS } = options
  const mayCall = createAddressPolicy(allow)

  return async (server, mail) => {
    let socket: Socket | undefined
    const deadline = AbortSignal.timeout(3 * silenceMs)
    const cut = () =>
      socket?.destroy(Object.assign(new Error('the server is too slow'), { code: 'ETIMEDOUT' }))
    deadline.addEventListener('abort', cut)
    try {
      socket = openSocket(server)
      await connected(socket, silenceMs)
      await sendThrough(socket, server, mail)
      return { accepted: true }
    } catch (error) {
      return deadline.aborted ? { accepted: false, reason: 'timed_out' } : failureOf(error)
    } finally {
      deadline.removeEventListener('abort', cut)
      socket?.destroy()
    }
  }

  /** A guarded name is resolved once: one that changes meanwhile (DNS rebinding) changes nothing. */
  function openSocket({ host, port, isGuarded }: SmtpServer): Socket {
    if (!isGuarded) return connect({ host, port })
    if (isIP(host) !== 0 && !mayCall(host)) throw refusal()
    return connect({ host, port, lookup: createGuardedLookup(mayCall, resolve) })
  }

  async function sendThrough(connection: Socket, server: SmtpServer, mail: OutgoingMail): Promise<void> {
    const { host, port, tls, userName, password, senderAddress, senderName } = server
    const transport = createTransport({
      connection,
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ...(ca !== undefined && { tls: { ca } }),
      ...(userName !== undefined && password !== undefined && { auth: { user: userName, pass: password } }),
      greetingTimeout: silenceMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const { to, messageId, subject, text, html } = mail
    await transport.sendMail({
      from: { address: senderAddress, name: senderName ?? '' },
      // An object, so that it is never read as a list of addresses.
      to: { address: to, name: '' },
      messageId: `<${messageId}>`,
      subject,
      text,
      html,
      // RFC 3834 section 5: no automatic answer is sent to it.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}

function connected(socket: Socket, timeoutMs: number): Promise<void> {
  return new Promise((settle, reject) => {
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
    const failed = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', failed)
      settle()
    })
  })
}

interface SmtpError {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
}

/** Commands whose refusal concerns this recipient or this message; others concern the server or its settings. */
const OF_MESSAGE = ['RCPT TO', 'DATA']

/** A label without any text of the server: it goes into logs, the audit log and answers. */
function failureOf(error: unknown): Attempt {
  if (error instanceof OutboundError) return { accepted: false, reason: error.reason }
  const { code = '', responseCode, command = '' } = error as SmtpError
  if (responseCode !== undefined) {
    const isFinal = responseCode >= 500 && OF_MESSAGE.includes(command)
    return { accepted: false, reason: `status_${responseCode}`, isFinal }
  }
  if (!/^E[A-Z_]+$/.test(code)) throw error
  return { accepted: false, reason: REASONS[code] ?? 'connection_failed' }
}

const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timed_out',
  ETLS: 'tls_failed',
  EAUTH: 'authentication_failed',
  ENOTFOUND: 'host_unknown',
  EENVELOPE: 'envelope_refused',
}

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

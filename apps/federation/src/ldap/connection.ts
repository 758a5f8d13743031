// One connection to a server of a directory (RFC 4511). No credential leaves before TLS has the certificate of the host name. A
// connection that ends is not opened again, and no referral is followed.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import type { GuardedConnect } from '@signet/platform/outbound-http/guarded-connection'
import { Client, type Entry, type Filter, MessageParserError, ResultCodeError } from 'ldapts'
import { Refused } from '../conversation/refusal.ts'
import { refusalOfCall } from '../conversation/refusal-of-call.ts'
import { LdapMessages } from './messages.ts'

export interface Search {
  readonly filter: Filter
  readonly attributes: readonly string[]
  /** Attributes whose values are octets. */
  readonly octets?: readonly string[]
  /** Entries that the server returns at most. */
  readonly most: number
}

/** A code of RFC 4511 section 4.1.9 with which the server does not accept a bind. */
interface BindRefusal {
  readonly code: number
  /** The error of Active Directory, in hexadecimal digits; empty without one. */
  readonly detail: string
}

/** Each method throws Refused. */
export interface LdapConnection {
  /** Returns undefined when the server accepts. An empty password is not sent: a server may accept it (RFC 4513 section 5.1.2). */
  bind(dn: string, password: string): Promise<BindRefusal | undefined>
  /** Returns the entries at and below a name, at most those that the search allows. */
  search(base: string, search: Search): Promise<readonly Entry[]>
  close(): void
}

/** Opens a connection that is secured. Throws Refused. */
export type OpenLdap = (server: {
  /** `ldaps://host`, or `ldap://host` for StartTLS. */
  readonly url: string
  /** Authorities of its certificate, DER in base64; empty: those that Node.js knows. */
  readonly certificates: readonly string[]
  readonly signal: AbortSignal
}) => Promise<LdapConnection>

interface OpenOptions {
  readonly connect: GuardedConnect
  /** Time for the connection with TLS, and for each operation. */
  readonly callMs: number
}

const START_TLS = '1.3.6.1.4.1.1466.20037'
const PORTS: Readonly<Record<string, number>> = { 'ldaps:': 636, 'ldap:': 389 }

export function createOpenLdap({ connect, callMs }: OpenOptions): OpenLdap {
  return async ({ url: text, certificates, signal: ends }) => {
    const url = new URL(text)
    const port = PORTS[url.protocol]
    if (port === undefined) throw new Refused('address_refused', { received: text })
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const opening = AbortSignal.any([ends, AbortSignal.timeout(callMs)])
    try {
      const socket = await connect({ host, port: Number(url.port) || port, signal: ends })
      const end = () => void socket.destroy()
      opening.addEventListener('abort', end)
      if (url.protocol === 'ldap:') await startTls(socket, callMs)
      const secured = await secure(socket, { host, certificates, signal: opening })
      // From here on each operation has a time of its own, and `ends` closes the connection.
      opening.removeEventListener('abort', end)
      return connectionOn(secured, callMs)
    } catch (error) {
      throw opening.aborted ? awayIn('timed_out', error) : refusalOf(error)
    }
  }
}

/**
 * Asks for TLS on a connection (RFC 4511 section 4.14). The client that asks is left behind: bytes that came before TLS reach no
 * reader of the answers after it.
 */
async function startTls(socket: Socket, callMs: number): Promise<void> {
  const messages = new LdapMessages(socket)
  const asking = clientOn(messages, callMs)
  try {
    await asking.exop(START_TLS)
  } catch (error) {
    if (error instanceof ResultCodeError) throw new Refused('start_tls_refused', { received: error.code })
    throw messages.failure ?? error
  } finally {
    messages.detach()
  }
}

interface Secured {
  readonly host: string
  readonly certificates: readonly string[]
  readonly signal: AbortSignal
}

async function secure(socket: Socket, { host, certificates, signal }: Secured) {
  const secured = connectTls({
    ...{ socket, host, rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    ...(isIP(host) === 0 && { servername: host }),
    ...(certificates.length > 0 && { ca: certificates.map(pemOf) }),
  })
  try {
    await once(secured, 'secureConnect', { signal })
  } catch (error) {
    socket.destroy()
    const code = error instanceof Error && 'code' in error ? `${error.code}` : ''
    if (signal.aborted || OF_NETWORK.has(code)) throw error
    // The text of the error has the names of the certificate.
    throw new Refused('server_certificate_refused', { received: code, expected: host })
  }
  secured.on('error', () => undefined)
  return secured
}

const OF_NETWORK: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED'])

const pemOf = (certificate: string) => new X509Certificate(Buffer.from(certificate, 'base64')).toString()

/** A client of ldapts on an open connection, which it cannot open again. */
function clientOn(messages: LdapMessages, timeout: number): Client {
  let isGiven = false
  return new Client({
    // The name is not used.
    ...{ url: 'ldap://directory', timeout, strictDN: false },
    createConnection: () => {
      if (isGiven) throw new OutboundError('the connection has ended', { reason: 'connection_failed' })
      isGiven = true
      // ldapts uses no more of a socket than this has.
      return messages as Duplex as Socket
    },
  })
}

function connectionOn(socket: Socket, callMs: number): LdapConnection {
  const messages = new LdapMessages(socket)
  const client = clientOn(messages, callMs)
  const refusal = (error: unknown) => messages.failure ?? refusalOf(error)
  return {
    async bind(dn, password) {
      if (password === '') throw new Refused('password_missing', { isCredential: true })
      // ldapts takes the name of a SASL mechanism for one.
      if (!dn.includes('=')) throw new Refused('answer_malformed', { expected: 'a distinguished name' })
      try {
        await client.bind(dn, password)
        return undefined
      } catch (error) {
        if (!(error instanceof ResultCodeError) || TEMPORARY.has(error.code) || error.code === REFERRAL)
          throw refusal(error)
        return { code: error.code, detail: /\bdata ([0-9a-f]{1,8})\b/.exec(error.message)?.[1] ?? '' }
      }
    },
    async search(base, { filter, attributes, octets = [], most }) {
      try {
        const { searchEntries } = await client.search(base, {
          ...{ filter, scope: 'sub', derefAliases: 'never', sizeLimit: most },
          ...{ timeLimit: Math.ceil(callMs / 1_000) },
          ...{ attributes: [...attributes], explicitBufferAttributes: [...octets] },
        })
        return searchEntries
      } catch (error) {
        throw refusal(error)
      }
    },
    close() {
      socket.destroy()
    },
  }
}

/** Time limit, administrative limit, busy, unavailable, and other (RFC 4511 appendix A.2). */
const TEMPORARY: ReadonlySet<number> = new Set([3, 11, 51, 52, 80])
const REFERRAL = 10

function awayIn(received: string, cause: unknown): Refused {
  return new Refused('provider_away', { received, temporary: true, cause })
}

/** The refusal for an operation that failed. The text of a server stays out of the log. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refused) return error
  if (error instanceof OutboundError) return refusalOfCall(error)
  if (error instanceof ResultCodeError) {
    const { code } = error
    if (TEMPORARY.has(code)) return new Refused('provider_failed', { received: code, temporary: true })
    return new Refused(code === REFERRAL ? 'referral_refused' : 'search_refused', { received: code })
  }
  if (error instanceof MessageParserError) return new Refused('answer_malformed')
  return awayIn('connection_failed', error)
}

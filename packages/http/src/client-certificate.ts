// The certificate that a client proved to have in its TLS handshake: with this process, or with a proxy that passes it on in a
// header (RFC 9440, RFC 8705 section 6.5).

import { createHash, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { CertificateSource } from '@signet/platform/config/mutual-tls-settings'
import { InvalidRequestError } from '@signet/protocol/errors'
import { isTrustedPeer, requestContext } from './request-context.ts'

export interface ClientCertificate {
  readonly certificate: X509Certificate
  /** Certificates that came with it, from which a chain to an authority may be made. */
  readonly others: readonly X509Certificate[]
  /** `x5t#S256` of RFC 8705 section 3.1: the base64url of the SHA-256 of its DER. */
  readonly thumbprint: string
}

/** A longer chain is none of a client. */
const MOST_OTHERS = 8

/**
 * Returns the certificate of a request; undefined without one, and where certificates are off. That of the connection counts
 * before that of a header, and the header counts from a trusted proxy alone. Throws InvalidRequestError for a header of a trusted
 * proxy that has no certificate in it.
 */
export function clientCertificate(req: IncomingMessage): ClientCertificate | undefined {
  const source = requestContext(req).clientCertificates
  if (source === undefined) return undefined
  return ofConnection(req.socket) ?? ofHeader(req, source)
}

const CERTIFICATE = Symbol('signet client certificate')

interface CertificateCarrier {
  getPeerX509Certificate?(): X509Certificate | undefined
  [CERTIFICATE]?: ClientCertificate
}

/** A connection has the same certificate for as long as it lives. */
function ofConnection(socket: Socket & CertificateCarrier): ClientCertificate | undefined {
  const known = socket[CERTIFICATE]
  if (known !== undefined) return known
  const certificate = socket.getPeerX509Certificate?.()
  if (certificate === undefined) return undefined
  const others: X509Certificate[] = []
  for (
    let next = certificate.issuerCertificate;
    next !== undefined && others.length < MOST_OTHERS;
    next = next.issuerCertificate
  ) {
    others.push(next)
  }
  const found = { certificate, others, thumbprint: thumbprintOf(certificate) }
  socket[CERTIFICATE] = found
  return found
}

const STANDARD_HEADER = 'client-cert'
const CHAIN_HEADER = 'client-cert-chain'

function ofHeader(
  req: IncomingMessage,
  { origin, header }: CertificateSource,
): ClientCertificate | undefined {
  const { headers } = req
  const known = ofRequests.get(req)
  if (known !== undefined) return known
  if (headers[header] === undefined || headers.host?.toLowerCase() !== new URL(origin).host) return undefined
  if (!isTrustedPeer(req)) return undefined
  const value = onlyValue(req, header)
  // A proxy that sets the header for each request sends it empty where the client has no certificate.
  if (value === '') return undefined
  const [certificate, ...above] = readCertificates(value, header)
  const isOfStandard = header === STANDARD_HEADER
  // RFC 9440 section 2.2: one certificate, and the chain in a header of its own. Another header has no such companion.
  if (certificate === undefined || (isOfStandard && above.length > 0)) throw malformed(header)
  const hasChain = isOfStandard && headers[CHAIN_HEADER] !== undefined
  const others = hasChain ? readCertificates(onlyValue(req, CHAIN_HEADER), CHAIN_HEADER) : above
  if (others.length > MOST_OTHERS) throw malformed(header)
  const found = { certificate, others, thumbprint: thumbprintOf(certificate) }
  ofRequests.set(req, found)
  return found
}

/** Read once for each request, which asks for its client and for its key. */
const ofRequests = new WeakMap<IncomingMessage, ClientCertificate>()

/** A proxy that adds its header to that of a client sends two. */
function onlyValue({ headersDistinct }: IncomingMessage, header: string): string {
  const [value = '', ...more] = headersDistinct[header] ?? []
  if (more.length > 0) throw malformed(header)
  return value
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const PEMS = new RegExp(`^(?:\\s*${PEM.source})+\\s*$`)

/**
 * Reads byte sequences of RFC 9440 section 2, or what proxies write instead: PEM in percent-encoding (`$ssl_client_escaped_cert`
 * of nginx), the same as the only `Cert` of X-Forwarded-Client-Cert (Envoy), or base64 of DER without colons (Traefik).
 */
function readCertificates(value: string, header: string): readonly X509Certificate[] {
  try {
    const [, forwarded, ...more] = value.split(/(?:^|[;,]\s*)Cert="([^"]*)"/i)
    if (more.length > 1) throw new Error('several certificates')
    const written = forwarded ?? value
    const text = written.includes('%') ? decodeURIComponent(written) : written
    // Nothing else beside PEM: text of the client before that of a proxy would count as its first certificate.
    if (PEMS.test(text)) return (text.match(PEM) ?? []).map((pem) => new X509Certificate(pem))
    const entries = text === '' ? [] : text.split(',').map((entry) => entry.trim())
    return entries.map((entry) => {
      const [, base64 = ''] = /^(?:(?=:.*:$):|(?!:))([A-Za-z0-9+/]+={0,2}):?$/.exec(entry) ?? []
      return new X509Certificate(Buffer.from(base64, 'base64'))
    })
  } catch (cause) {
    throw malformed(header, cause)
  }
}

function malformed(header: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(
    `the header ${header} of the proxy is not one client certificate (RFC 9440 section 2)`,
    { reason: 'client_certificate_malformed', cause },
  )
}

// Of the certificate as it was read: bytes behind it, which a decoder skips, do not change it.
const thumbprintOf = ({ raw }: X509Certificate) => createHash('sha256').update(raw).digest('base64url')

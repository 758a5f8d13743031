// Mutual TLS, RFC 8705 section 2: a client authenticates by the certificate of its connection. The handshake proved that the client
// has the private key; these functions decide whether the certificate is that of the client.

import type { X509Certificate } from 'node:crypto'
import type { Client } from '@signet/directory-reader/views'
import type { ClientCertificate } from '@signet/http/client-certificate'
import { registeredCertificateName } from '@signet/protocol/certificate-subject'
import type { TlsAuthMethod } from '@signet/protocol/grant-types'
import { LRUCache } from 'lru-cache'
import { type CertificatePath, findPath } from './certificate-path.ts'
import { type CertificateNames, readNames } from './read-certificate.ts'

/** The rule that a certificate breaks, as a sentence about `it`. */
export class CertificateRefusal extends Error {
  readonly reason: string

  constructor(rule: string, reason: string) {
    super(rule)
    this.reason = reason
  }
}

/** Throws CertificateRefusal for a certificate that is not one of the client. */
export type VerifyCertificate = (
  presented: ClientCertificate,
  client: Client,
  method: TlsAuthMethod,
  now: Date,
) => void

/** The trusted authorities of a process. */
interface Authorities {
  /** The same array until the file of them changes. */
  readonly current: readonly X509Certificate[]
}

/** Number of certificates whose path is in the cache, a few kB each. */
const MOST_PATHS = 1_000

export function createVerifyCertificate(authorities: Authorities | undefined): VerifyCertificate {
  const known = new LRUCache<string, KnownPath>({ max: MOST_PATHS })

  function pathOf(presented: ClientCertificate): KnownPath {
    const anchors = authorities?.current ?? []
    const key = [presented.thumbprint, ...presented.others.map(({ fingerprint256 }) => fingerprint256)].join()
    const cached = known.get(key)
    if (cached?.anchors === anchors) return cached
    const { certificate, others } = presented
    const found = { anchors, path: findPath(certificate, others, anchors), names: readNames(certificate) }
    known.set(key, found)
    return found
  }

  const verify: VerifyCertificate = (presented, client, method, now) => {
    requireValidity(presented.certificate, now, 'it')
    if (method === 'self_signed_tls_client_auth') {
      requireRegisteredKey(presented.certificate, client, now)
      return
    }
    const { path, names } = pathOf(presented)
    if (typeof path === 'string') throw new CertificateRefusal(path, 'client_certificate_chain')
    for (const authority of path) requireValidity(authority, now, 'a certificate of its authorities')
    requireRegisteredName(names, client)
  }
  return (...call) => {
    try {
      verify(...call)
    } catch (error) {
      if (error instanceof CertificateRefusal) throw error
      // A self-made certificate may have extensions or a key that no decoder reads.
      throw new CertificateRefusal('it cannot be read', 'client_certificate_unreadable')
    }
  }
}

interface KnownPath {
  readonly anchors: readonly X509Certificate[]
  /** The authorities above the certificate, or the rule that it breaks. */
  readonly path: CertificatePath | string
  readonly names: CertificateNames
}

function requireValidity({ validFromDate, validToDate }: X509Certificate, now: Date, subject: string): void {
  if (now < validFromDate) {
    throw new CertificateRefusal(`${subject} is not valid yet`, 'client_certificate_times')
  }
  if (now > validToDate) throw new CertificateRefusal(`${subject} has expired`, 'client_certificate_times')
}

/** RFC 8705 section 2.1. */
function requireRegisteredName(names: CertificateNames, client: Client): void {
  const registered = registeredCertificateName(client)
  if (registered === undefined) {
    throw new CertificateRefusal(
      'the application has not exactly one of the tlsClientAuth settings',
      'client_certificate_name_unregistered',
    )
  }
  if (names[registered.kind].includes(registered.value)) return
  throw new CertificateRefusal('it does not have the registered name', 'client_certificate_name')
}

/** RFC 8705 section 2.2: the certificate is that of the client when its key is registered; the signature does not count. */
function requireRegisteredKey({ publicKey }: X509Certificate, { keys }: Client, now: Date): void {
  const presented = publicKey.export({ format: 'jwk' })
  const isRegistered = keys.some(({ jwk, expiresAt }) => {
    const isCurrent = expiresAt === null || expiresAt > now
    return isCurrent && KEY_MEMBERS.every((member) => jwk[member] === presented[member])
  })
  if (isRegistered) return
  throw new CertificateRefusal('its key is not registered for the application', 'client_certificate_key')
}

/** The members that make a public key (RFC 7638 section 3.2); stored keys have them in the one spelling of Node.js. */
const KEY_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { identityUri, serviceOfUri } from '@signet/grpc/certificates/identity-uri'
import type { TlsIdentity } from '@signet/grpc/tls-identity'
import type { Logger } from '@signet/platform/logger/logger'
import type { ServiceName } from '@signet/platform/process/service'
import { type Repetition, repeat } from '@signet/platform/runtime/clock'

/** Paths of the PEM texts of a process. */
export interface TlsFiles {
  readonly ca: string
  readonly certificate: string
  readonly privateKey: string
}

/** The service that the certificate of a process has to name. */
export interface CertificateOwner {
  readonly service: ServiceName
  /** Prefix of the URI that has to name the service; undefined leaves it unchecked. */
  readonly trustPrefix: string | undefined
}

export interface WatchedTlsIdentity extends TlsIdentity {
  /** Reads the files again every `everyMs`; new connections use what has changed. */
  watch(logger: Logger, everyMs?: number): Repetition
}

/** Kubernetes changes the files of a Secret within a minute; certificates are renewed days before their end. */
const EVERY_MS = 10_000

/**
 * The certificates in these files. While they are watched, changed files count as soon as the certificate fits its key
 * and the authority can be read; until then, as during an update, the ones before are kept. Throws when the files cannot
 * be used at first.
 */
export function readTlsFiles(files: TlsFiles, owner: CertificateOwner): WatchedTlsIdentity {
  let current = read(files)
  requireMatch(current, owner)
  const listeners = new Set<() => void>()
  return {
    ...(owner.trustPrefix !== undefined && { trustPrefix: owner.trustPrefix }),
    get ca() {
      return current.ca
    },
    get certificate() {
      return current.certificate
    },
    get privateKey() {
      return current.privateKey
    },
    onRenewal(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    watch(logger, everyMs = EVERY_MS) {
      let told = ''
      const round = async () => {
        const found = read(files)
        if (isSame(found, current)) return
        requireMatch(found, owner)
        current = found
        told = ''
        logger.info('certificates_renewed')
        for (const listener of listeners) listener()
      }
      return repeat(everyMs, round, (error) => {
        const { message } = error as Error
        if (told !== message) logger.warn('certificates_unusable', { error })
        told = message
      })
    },
  }
}

type Texts = Readonly<Record<keyof TlsFiles, Buffer>>

function read({ ca, certificate, privateKey }: TlsFiles): Texts {
  return {
    ca: readFileSync(ca),
    certificate: readFileSync(certificate),
    privateKey: readFileSync(privateKey),
  }
}

function isSame(one: Texts, other: Texts): boolean {
  return (
    one.ca.equals(other.ca) &&
    one.certificate.equals(other.certificate) &&
    one.privateKey.equals(other.privateKey)
  )
}

function requireMatch(
  { ca, certificate, privateKey }: Texts,
  { service, trustPrefix }: CertificateOwner,
): void {
  if (!parsed('SIGNET_RPC_CA', () => new X509Certificate(ca)).ca) {
    throw new Error('SIGNET_RPC_CA: holds no certificate of an authority')
  }
  const own = parsed('SIGNET_RPC_CERT', () => new X509Certificate(certificate))
  const key = parsed('SIGNET_RPC_KEY', () => createPrivateKey(privateKey))
  if (!own.checkPrivateKey(key)) throw new Error('SIGNET_RPC_CERT: does not belong to SIGNET_RPC_KEY')
  if (trustPrefix === undefined || serviceOfUri(own.subjectAltName, trustPrefix) === service) return
  throw new Error(
    `SIGNET_RPC_CERT: has no URI ${identityUri(trustPrefix, service)}, or others beside it; replace it or leave out SIGNET_RPC_TRUST_PREFIX`,
  )
}

function parsed<T>(name: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${name}: its file is not in PEM format`, { cause: error })
  }
}

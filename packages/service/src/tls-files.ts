import { createPrivateKey, X509Certificate } from 'node:crypto'
import { identityUri, serviceOfUri } from '@signet/grpc/certificates/identity-uri'
import type { TlsIdentity } from '@signet/grpc/tls-identity'
import { readWatchedFiles } from '@signet/platform/config/watched-files'
import type { Logger } from '@signet/platform/logger/logger'
import type { ServiceName } from '@signet/platform/process/service'
import type { Repetition } from '@signet/platform/runtime/clock'

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

/**
 * The certificates in these files. While they are watched, changed files count as soon as the certificate fits its key
 * and the authority can be read. Throws when the files cannot be used at first.
 */
export function readTlsFiles(files: TlsFiles, owner: CertificateOwner): WatchedTlsIdentity {
  const { ca, certificate, privateKey } = files
  const watched = readWatchedFiles({ ca, certificate, privateKey }, (texts) => requireMatch(texts, owner))
  return {
    ...(owner.trustPrefix !== undefined && { trustPrefix: owner.trustPrefix }),
    get ca() {
      return watched.current.ca
    },
    get certificate() {
      return watched.current.certificate
    },
    get privateKey() {
      return watched.current.privateKey
    },
    onRenewal: watched.onRenewal,
    watch: watched.watch,
  }
}

type Texts = Readonly<Record<keyof TlsFiles, Buffer>>

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

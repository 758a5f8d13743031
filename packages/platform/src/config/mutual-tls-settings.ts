import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Logger } from '../logger/logger.ts'
import type { ServiceName } from '../process/service.ts'
import type { Repetition } from '../runtime/clock.ts'
import { ConfigurationError } from './settings.ts'
import { SERVICE_PLACEHOLDER } from './settings-fields.ts'
import { readWatchedFiles, type WatchedFiles } from './watched-files.ts'

/** The sources of certificates of clients (RFC 8705). */
export interface CertificateSource {
  /** Origin of the endpoints of this process that ask clients for certificates. */
  readonly origin: string
  /** Name of the header in which trusted proxies pass a certificate on, in lower case. */
  readonly header: string
}

/** Certificates of clients, where they are on. */
export interface MutualTls extends CertificateSource {
  /** The authorities of certificates of `tls_client_auth`; absent: no client authenticates so. */
  readonly authorities?: TrustedAuthorities
}

/** Certificates of authorities, renewed with their file while it is watched. */
export interface TrustedAuthorities {
  /** The same array until the file changes. */
  readonly current: readonly X509Certificate[]
  watch(logger: Logger, everyMs?: number): Repetition
}

/** The settings that `certificateSource` reads; each may be absent. */
export const CERTIFICATE_SOURCE_SETTINGS = ['SIGNET_MTLS_ORIGIN', 'SIGNET_MTLS_HEADER'] as const

/** The settings that `mutualTls` reads; each may be absent. */
export const MUTUAL_TLS_SETTINGS = [...CERTIFICATE_SOURCE_SETTINGS, 'SIGNET_MTLS_CLIENT_CA'] as const

/** The settings of the listener that asks for certificates itself. */
export const MUTUAL_TLS_LISTENER_SETTINGS = [
  'SIGNET_MTLS_PORT',
  'SIGNET_MTLS_CERT',
  'SIGNET_MTLS_KEY',
] as const

type Values = Readonly<Partial<Record<(typeof MUTUAL_TLS_SETTINGS)[number], string | undefined>>>

const DEFAULT_HEADER = 'client-cert'

/**
 * Undefined where certificates are off. `service` is undefined in the process of all services. Throws ConfigurationError for a
 * setting without SIGNET_MTLS_ORIGIN and an unusable file.
 */
export function mutualTls(settings: Values, service: ServiceName | undefined): MutualTls | undefined {
  const source = certificateSource(settings, service)
  const { SIGNET_MTLS_CLIENT_CA: file } = settings
  const authorities = file === undefined ? undefined : readAuthorities(file)
  return source && { ...source, ...(authorities && { authorities }) }
}

/** The same without the authorities, for services that compare certificates with tokens alone. */
export function certificateSource(
  settings: Values,
  service: ServiceName | undefined,
): CertificateSource | undefined {
  const { SIGNET_MTLS_ORIGIN: origin, SIGNET_MTLS_HEADER: header = DEFAULT_HEADER } = settings
  if (origin !== undefined) return { origin: originOf(origin, service), header }
  const given = MUTUAL_TLS_SETTINGS.filter((name) => settings[name] !== undefined)
  if (given.length === 0) return undefined
  throw new ConfigurationError(given.map((name) => `${name}: needs SIGNET_MTLS_ORIGIN`))
}

/** The origin of one service; `origin` has a placeholder where each service has its own. */
export function originOf(origin: string, service: ServiceName | undefined): string {
  if (service !== undefined) return origin.replace(SERVICE_PLACEHOLDER, service)
  if (!origin.includes(SERVICE_PLACEHOLDER)) return origin
  throw new ConfigurationError([
    `SIGNET_MTLS_ORIGIN: has ${SERVICE_PLACEHOLDER}, and all services run in this process; name one host`,
  ])
}

function readAuthorities(file: string): TrustedAuthorities {
  const parsed = new WeakMap<Buffer, readonly X509Certificate[]>()
  const files = watched('SIGNET_MTLS_CLIENT_CA', { authorities: file }, ({ authorities }) => {
    parsed.set(authorities, parseAuthorities(authorities))
  })
  return {
    get current() {
      return parsed.get(files.current.authorities) ?? []
    },
    watch: files.watch,
  }
}

function parseAuthorities(pem: Buffer): readonly X509Certificate[] {
  const found = pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const certificates = found.map((each) => new X509Certificate(each))
  if (certificates.length > 0 && certificates.every(({ ca }) => ca)) return certificates
  throw new Error(
    'SIGNET_MTLS_CLIENT_CA: its file has no certificates of authorities in PEM format, or others',
  )
}

/** The port that asks clients for certificates, with its own one. */
export interface MutualTlsListenerConfig {
  readonly port: number
  readonly files: WatchedFiles<'cert' | 'key'>
}

/** Undefined without a port. Throws ConfigurationError for settings that do not belong together and unusable files. */
export function mutualTlsListener(settings: {
  readonly SIGNET_MTLS_ORIGIN?: string | undefined
  readonly SIGNET_MTLS_PORT?: number | undefined
  readonly SIGNET_MTLS_CERT?: string | undefined
  readonly SIGNET_MTLS_KEY?: string | undefined
}): MutualTlsListenerConfig | undefined {
  const { SIGNET_MTLS_PORT: port, SIGNET_MTLS_CERT: cert, SIGNET_MTLS_KEY: key } = settings
  const given = MUTUAL_TLS_LISTENER_SETTINGS.filter((name) => settings[name] !== undefined)
  if (given.length === 0) return undefined
  if (port === undefined || cert === undefined || key === undefined || !settings.SIGNET_MTLS_ORIGIN) {
    const needed = ['SIGNET_MTLS_ORIGIN', ...MUTUAL_TLS_LISTENER_SETTINGS].join(', ')
    throw new ConfigurationError(given.map((name) => `${name}: needs all of ${needed}`))
  }
  return { port, files: watched('SIGNET_MTLS_CERT', { cert, key }, requirePair) }
}

function requirePair({ cert, key }: Readonly<Record<'cert' | 'key', Buffer>>): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  throw new Error('SIGNET_MTLS_CERT: does not belong to SIGNET_MTLS_KEY')
}

function watched<Name extends string>(
  setting: string,
  files: Readonly<Record<Name, string>>,
  requireUsable: (texts: Readonly<Record<Name, Buffer>>) => void,
): WatchedFiles<Name> {
  try {
    return readWatchedFiles(files, requireUsable)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const paths = Object.values(files).join(' or ')
    const problem = message.startsWith('SIGNET_') ? message : `${setting}: cannot use ${paths} (${code})`
    throw new ConfigurationError([problem])
  }
}

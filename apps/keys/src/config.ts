import type { BlockList } from 'node:net'
import { CLIENT_METADATA_SETTINGS, clientMetadata } from '@signet/platform/config/client-metadata-settings'
import {
  type CertificateSource,
  certificateSource,
  MUTUAL_TLS_SETTINGS,
} from '@signet/platform/config/mutual-tls-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'

export interface KeysConfig {
  readonly issuer: string
  /** Newest first: the first seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly trustedProxies: BlockList
  /** Requests a second of one caller of the management API; absent or 0: any number. */
  readonly rateLimits?: { readonly management?: number | undefined }
  /** Certificates of clients, for discovery; absent where they are off. */
  readonly mutualTls?: ShownMutualTls | undefined
  /** Whether the metadata of RFC 8414 and RFC 9728 is served. */
  readonly oauthMetadata: boolean
  /** Whether a client_id may be the URL of a document about the client. */
  readonly hasClientMetadata?: boolean | undefined
  /** Whether clients may register themselves. */
  readonly clientRegistration?: boolean | undefined
  /** Contacts for vulnerability reports; absent for none. */
  readonly securityContacts?: readonly string[] | undefined
}

/** The properties of mutual TLS that discovery shows. */
export interface ShownMutualTls extends CertificateSource {
  /** The origin of all services; with a placeholder where each has its own. */
  readonly origins: string
  /** Whether clients may authenticate with certificates of authorities. */
  readonly hasAuthorities: boolean
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readKeysConfig(env: Environment): KeysConfig {
  const settings = readSettings(
    env,
    [
      ...(['SIGNET_ISSUER', 'SIGNET_KEYS_MASTER_KEY', 'SIGNET_TRUSTED_PROXIES'] as const),
      ...(['SIGNET_RATE_LIMIT_MANAGEMENT', 'SIGNET_OAUTH_METADATA', 'SIGNET_CLIENT_REGISTRATION'] as const),
    ],
    ['SIGNET_SECURITY_CONTACT', ...MUTUAL_TLS_SETTINGS, ...CLIENT_METADATA_SETTINGS],
  )
  const source = certificateSource(settings, 'keys')
  const { SIGNET_MTLS_ORIGIN: origins = '' } = settings
  const hasAuthorities = settings.SIGNET_MTLS_CLIENT_CA !== undefined
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_KEYS_MASTER_KEY,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    rateLimits: { management: settings.SIGNET_RATE_LIMIT_MANAGEMENT },
    ...(source && { mutualTls: { ...source, origins, hasAuthorities } }),
    oauthMetadata: settings.SIGNET_OAUTH_METADATA,
    hasClientMetadata: clientMetadata(settings) !== undefined,
    clientRegistration: settings.SIGNET_CLIENT_REGISTRATION,
    securityContacts: settings.SIGNET_SECURITY_CONTACT,
  }
}

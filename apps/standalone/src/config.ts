import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { requireOwnBootstrap } from '@signet/dev-stack/installation/sample'
import { OWN_STORAGE_SETTINGS, type OwnStorage, ownStorage } from '@signet/migration/storage/own-storage'
import {
  CLIENT_METADATA_SETTINGS,
  type ClientMetadata,
  clientMetadata,
} from '@signet/platform/config/client-metadata-settings'
import {
  MUTUAL_TLS_LISTENER_SETTINGS,
  MUTUAL_TLS_SETTINGS,
  type MutualTls,
  type MutualTlsListenerConfig,
  mutualTls,
  mutualTlsListener,
} from '@signet/platform/config/mutual-tls-settings'
import { PASSKEY_SETTINGS, type PasskeyParty, passkeyParty } from '@signet/platform/config/passkey-settings'
import { type PasswordRules, passwordRules } from '@signet/platform/config/password-settings'
import { ConfigurationError, type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { type SmtpConfig, smtpConfig } from '@signet/platform/config/smtp-settings'
import type { TokenReviewServer } from '@signet/platform/config/token-review-settings'
import type { LogLevel } from '@signet/platform/logger/logger'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import { VERSION } from '@signet/platform/process/version'
import { readTracingSettings, type TracingSettings } from '@signet/platform/tracing/tracing-settings'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'

export interface StandaloneConfig extends RevocationConfig {
  readonly issuer: string
  readonly port: number
  /** Loopback for a loopback issuer, else every interface. */
  readonly host: string
  readonly dataDirectory: string
  /** Absent: the shipped sample. */
  readonly bootstrapFile?: string
  /** Absent: an embedded server under the data directory. */
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
  /** Absent: made at the first start and kept in the data directory. */
  readonly keysMasterKeys?: Secret<readonly Buffer[]>
  readonly directoryMasterKeys?: Secret<readonly Buffer[]>
  readonly migrationMasterKeys?: Secret<readonly Buffer[]>
  readonly loginMasterKeys?: Secret<readonly Buffer[]>
  readonly federationMasterKeys?: Secret<readonly Buffer[]>
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: MutualTls | undefined
  /** Absent: no port asks for certificates of clients. */
  readonly mutualTlsListener?: MutualTlsListenerConfig | undefined
  readonly outboundAllow: BlockList
  /** Absent: messages appear in the mailbox of a loopback issuer, and are not sent for another one. */
  readonly smtp?: SmtpConfig | undefined
  readonly passwords: PasswordRules
  readonly signInNotices: boolean
  readonly placesFile?: string | undefined
  readonly console: boolean
  readonly ownAccountDeletion: boolean
  /** Requests a second of one client, network (`signIn` and `public`) or caller (`management`); absent: any number. */
  readonly rateLimits: Readonly<
    Partial<
      Record<
        'signIn' | 'public' | 'management' | 'token' | 'revocation' | 'introspection' | 'userinfo',
        number | undefined
      >
    >
  >
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly passkeys?: PasskeyParty | undefined
  readonly namedStatements: boolean
  /** Whether exports without recipients are refused. */
  readonly sealedExports: boolean
  /** Absent: a folder of the data directory. */
  readonly ownStorage?: OwnStorage
  /** Clients whose client_id is the URL of their document; absent: there are none. */
  readonly clientMetadata?: ClientMetadata | undefined
  /** API servers that are asked whether tokens of their issuers still count. */
  readonly tokenReviews?: readonly TokenReviewServer[] | undefined
  /** Whether clients register themselves with initial access tokens (RFC 7591). */
  readonly clientRegistration: boolean
  /** Whether the metadata of RFC 8414 and RFC 9728 is served. */
  readonly oauthMetadata: boolean
  /** Contacts for vulnerability reports; absent for none. */
  readonly securityContacts?: readonly string[]
  readonly logLevel: LogLevel
  /** Absent: no traces. */
  readonly tracing?: TracingSettings
}

/** Settings that have a default. */
const DEFAULTED = [
  'SIGNET_PORT',
  'SIGNET_DATA_DIR',
  'SIGNET_TRUSTED_PROXIES',
  ...REVOCATION_SETTINGS,
  'SIGNET_POSTGRES_NAMED_STATEMENTS',
  'SIGNET_LOG_LEVEL',
  'SIGNET_RATE_LIMIT_SIGN_IN',
  'SIGNET_RATE_LIMIT_PUBLIC',
  'SIGNET_RATE_LIMIT_MANAGEMENT',
  'SIGNET_MIGRATION_SEALED_EXPORTS',
  'SIGNET_SMTP_DAILY_LIMIT',
  'SIGNET_PASSWORD_MIN_SCORE',
  'SIGNET_SIGN_IN_NOTICES',
  'SIGNET_PLACES_FILE',
  'SIGNET_CONSOLE',
  'SIGNET_OAUTH_METADATA',
  'SIGNET_CLIENT_REGISTRATION',
  'SIGNET_OWN_ACCOUNT_DELETION',
  ...PASSKEY_SETTINGS,
] as const

/** Settings that may be absent. */
const OPTIONAL = [
  'SIGNET_ISSUER',
  'SIGNET_BOOTSTRAP_FILE',
  'SIGNET_POSTGRES_URL',
  'SIGNET_REDIS_URL',
  'SIGNET_OUTBOUND_ALLOW',
  'SIGNET_SECURITY_CONTACT',
  'SIGNET_SMTP_URL',
  'SIGNET_SMTP_SENDER',
  'SIGNET_BREACHED_PASSWORDS_URL',
  'SIGNET_RATE_LIMIT_TOKEN',
  'SIGNET_RATE_LIMIT_REVOCATION',
  'SIGNET_RATE_LIMIT_INTROSPECTION',
  'SIGNET_RATE_LIMIT_USERINFO',
  'SIGNET_KEYS_MASTER_KEY',
  'SIGNET_DIRECTORY_MASTER_KEY',
  'SIGNET_MIGRATION_MASTER_KEY',
  'SIGNET_LOGIN_MASTER_KEY',
  'SIGNET_FEDERATION_MASTER_KEY',
  'SIGNET_TLS_CERT',
  'SIGNET_TLS_KEY',
  ...MUTUAL_TLS_SETTINGS,
  ...MUTUAL_TLS_LISTENER_SETTINGS,
  ...CLIENT_METADATA_SETTINGS,
  'SIGNET_TOKEN_REVIEWS',
  ...OWN_STORAGE_SETTINGS,
] as const

/** Reads the settings of `npm start`, all optional. Throws ConfigurationError with every problem. */
export function readStandaloneConfig(env: Environment): StandaloneConfig {
  const settings = readSettings(env, DEFAULTED, OPTIONAL)
  const tracing = readTracingSettings(env, { service: 'signet', version: VERSION })
  const tls = readTls(settings.SIGNET_TLS_CERT, settings.SIGNET_TLS_KEY)
  const issuer = settings.SIGNET_ISSUER ?? `${tls ? 'https' : 'http'}://localhost:${settings.SIGNET_PORT}`
  const loopback = isLoopbackHost(new URL(issuer).hostname)
  requireOwnBootstrap(issuer, settings.SIGNET_BOOTSTRAP_FILE)
  const own = ownStorage(settings)
  return {
    issuer,
    port: settings.SIGNET_PORT,
    host: loopback ? '127.0.0.1' : '::',
    dataDirectory: resolve(settings.SIGNET_DATA_DIR),
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: mutualTls(settings, undefined),
    mutualTlsListener: mutualTlsListener(settings),
    ...revocationConfig(settings),
    rateLimits: {
      signIn: settings.SIGNET_RATE_LIMIT_SIGN_IN,
      public: settings.SIGNET_RATE_LIMIT_PUBLIC,
      management: settings.SIGNET_RATE_LIMIT_MANAGEMENT,
      token: settings.SIGNET_RATE_LIMIT_TOKEN,
      revocation: settings.SIGNET_RATE_LIMIT_REVOCATION,
      introspection: settings.SIGNET_RATE_LIMIT_INTROSPECTION,
      userinfo: settings.SIGNET_RATE_LIMIT_USERINFO,
    },
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, issuer),
    passkeys: passkeyParty(issuer, settings),
    smtp: smtpConfig(settings),
    passwords: passwordRules(settings),
    signInNotices: settings.SIGNET_SIGN_IN_NOTICES,
    placesFile: settings.SIGNET_PLACES_FILE,
    console: settings.SIGNET_CONSOLE,
    clientMetadata: clientMetadata(settings),
    tokenReviews: settings.SIGNET_TOKEN_REVIEWS,
    clientRegistration: settings.SIGNET_CLIENT_REGISTRATION,
    oauthMetadata: settings.SIGNET_OAUTH_METADATA,
    ownAccountDeletion: settings.SIGNET_OWN_ACCOUNT_DELETION,
    sealedExports: settings.SIGNET_MIGRATION_SEALED_EXPORTS,
    namedStatements: settings.SIGNET_POSTGRES_NAMED_STATEMENTS,
    logLevel: settings.SIGNET_LOG_LEVEL,
    ...(settings.SIGNET_BOOTSTRAP_FILE !== undefined && { bootstrapFile: settings.SIGNET_BOOTSTRAP_FILE }),
    ...(settings.SIGNET_POSTGRES_URL !== undefined && { postgresUrl: settings.SIGNET_POSTGRES_URL }),
    ...(settings.SIGNET_REDIS_URL !== undefined && { redisUrl: settings.SIGNET_REDIS_URL }),
    ...(settings.SIGNET_KEYS_MASTER_KEY !== undefined && { keysMasterKeys: settings.SIGNET_KEYS_MASTER_KEY }),
    ...(settings.SIGNET_DIRECTORY_MASTER_KEY !== undefined && {
      directoryMasterKeys: settings.SIGNET_DIRECTORY_MASTER_KEY,
    }),
    ...(settings.SIGNET_MIGRATION_MASTER_KEY !== undefined && {
      migrationMasterKeys: settings.SIGNET_MIGRATION_MASTER_KEY,
    }),
    ...(settings.SIGNET_LOGIN_MASTER_KEY !== undefined && {
      loginMasterKeys: settings.SIGNET_LOGIN_MASTER_KEY,
    }),
    ...(settings.SIGNET_FEDERATION_MASTER_KEY !== undefined && {
      federationMasterKeys: settings.SIGNET_FEDERATION_MASTER_KEY,
    }),
    ...(settings.SIGNET_SECURITY_CONTACT !== undefined && {
      securityContacts: settings.SIGNET_SECURITY_CONTACT,
    }),
    ...(tls !== undefined && { tls }),
    ...(own !== undefined && { ownStorage: own }),
    ...(tracing !== undefined && { tracing }),
  }
}

function readTls(certFile: string | undefined, keyFile: string | undefined) {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined)
    throw new ConfigurationError(['SIGNET_TLS_CERT: is required with SIGNET_TLS_KEY'])
  if (keyFile === undefined)
    throw new ConfigurationError(['SIGNET_TLS_KEY: is required with SIGNET_TLS_CERT'])
  return { cert: readPem('SIGNET_TLS_CERT', certFile), key: readPem('SIGNET_TLS_KEY', keyFile) }
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`])
  }
}

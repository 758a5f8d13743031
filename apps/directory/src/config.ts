import type { BlockList } from 'node:net'
import type { RpcTransport } from '@signet/grpc/client'
import {
  CLIENT_METADATA_SETTINGS,
  type ClientMetadata,
  clientMetadata,
} from '@signet/platform/config/client-metadata-settings'
import {
  CERTIFICATE_SOURCE_SETTINGS,
  type CertificateSource,
  certificateSource,
} from '@signet/platform/config/mutual-tls-settings'
import { PASSKEY_SETTINGS, type PasskeyParty, passkeyParty } from '@signet/platform/config/passkey-settings'
import {
  PASSWORD_SETTINGS,
  type PasswordRules,
  passwordRules,
} from '@signet/platform/config/password-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { SMTP_SETTINGS, type SmtpConfig, smtpConfig } from '@signet/platform/config/smtp-settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import type { Database } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { Mailbox } from './mail/mailer.ts'

export interface DirectoryConfig {
  /** Public origin of the suite. */
  readonly issuer: string
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly passkeys?: PasskeyParty | undefined
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: CertificateSource | undefined
  /** Requests a second of one caller of the management API; absent or 0: any number. */
  readonly rateLimits?: { readonly management?: number | undefined }
  /** The SMTP server of the instance, if there is one. */
  readonly smtp?: SmtpConfig | undefined
  readonly passwords: PasswordRules
  /** Whether people get a message about a sign-in in a new browser. */
  readonly signInNotices: boolean
  /** Database of the places of network addresses; undefined: none has a place. */
  readonly placesFile?: string | undefined
  /** Whether the console is served. */
  readonly console: boolean
  /** Whether the metadata of the management API is served (RFC 9728). */
  readonly oauthMetadata?: boolean | undefined
  /** Whether people may delete their own accounts. */
  readonly ownAccountDeletion: boolean
  /** Clients whose client_id is the URL of their document; undefined: there are none. */
  readonly clientMetadata?: Pick<ClientMetadata, 'projectId'> | undefined
  /** Whether clients register themselves with initial access tokens (RFC 7591). */
  readonly clientRegistration?: boolean | undefined
  /** Networks beside the public Internet that SMTP servers of organizations, and that list, may be in. */
  readonly outboundAllow: BlockList
}

/** Reads what only the directory needs. Throws ConfigurationError with every problem at once. */
export function readDirectoryConfig(environment: Environment): DirectoryConfig {
  const names = [
    'SIGNET_ISSUER',
    'SIGNET_DIRECTORY_MASTER_KEY',
    'SIGNET_TRUSTED_PROXIES',
    'SIGNET_RATE_LIMIT_MANAGEMENT',
    ...PASSKEY_SETTINGS,
    'SIGNET_OUTBOUND_ALLOW',
    ...SMTP_SETTINGS,
    ...PASSWORD_SETTINGS,
    'SIGNET_SIGN_IN_NOTICES',
    'SIGNET_PLACES_FILE',
    'SIGNET_CONSOLE',
    'SIGNET_OAUTH_METADATA',
    'SIGNET_OWN_ACCOUNT_DELETION',
    'SIGNET_CLIENT_REGISTRATION',
  ] as const
  const settings = readSettings(environment, names, [
    ...CERTIFICATE_SOURCE_SETTINGS,
    ...CLIENT_METADATA_SETTINGS,
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_DIRECTORY_MASTER_KEY,
    passkeys: passkeyParty(settings.SIGNET_ISSUER, settings),
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: certificateSource(settings, 'directory'),
    rateLimits: { management: settings.SIGNET_RATE_LIMIT_MANAGEMENT },
    clientMetadata: clientMetadata(settings),
    smtp: smtpConfig(settings),
    passwords: passwordRules(settings),
    signInNotices: settings.SIGNET_SIGN_IN_NOTICES,
    placesFile: settings.SIGNET_PLACES_FILE,
    console: settings.SIGNET_CONSOLE,
    oauthMetadata: settings.SIGNET_OAUTH_METADATA,
    clientRegistration: settings.SIGNET_CLIENT_REGISTRATION,
    ownAccountDeletion: settings.SIGNET_OWN_ACCOUNT_DELETION,
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
  }
}

/** The dependencies of the directory. */
export interface DirectoryOptions {
  readonly config: DirectoryConfig
  /** Connected as signet_directory; the caller closes it. */
  readonly database: Database
  /** Ends tokens and authenticates callers. */
  readonly token: RpcTransport
  /** Keeps the sessions of people. */
  readonly login: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
  readonly metrics?: Metrics
  /** Takes the messages of an instance without an SMTP server. */
  readonly mailbox?: Mailbox
  /** Time between two looks for messages that are due; a second by default. */
  readonly mailIntervalMs?: number
}

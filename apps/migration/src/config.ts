import type { BlockList } from 'node:net'
import {
  CERTIFICATE_SOURCE_SETTINGS,
  type CertificateSource,
  certificateSource,
} from '@signet/platform/config/mutual-tls-settings'
import { ConfigurationError, type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { watchedUrl } from '@signet/platform/config/watched-url'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import { OWN_STORAGE_SETTINGS, type OwnStorage, ownStorage } from './storage/own-storage.ts'

export interface MigrationConfig {
  readonly issuer: string
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: CertificateSource | undefined
  /** Requests a second of one caller; absent or 0: any number. */
  readonly rateLimits?: { readonly management?: number | undefined }
  readonly queueRedisUrl: { reveal(): string }
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly roles: 'all' | 'api' | 'worker'
  /** A worker that has not been heard of for this long is gone. */
  readonly stallSeconds: number
  /** Ended jobs are deleted after this many days. */
  readonly jobRetentionDays: number
  /** Whether the metadata of the management API is served (RFC 9728). */
  readonly oauthMetadata?: boolean | undefined
  /** Whether exports without recipients are refused. */
  readonly sealedExports: boolean
  /** Networks beside the public Internet where a storage may be. */
  readonly outboundAllow: BlockList
  /** Below it lie local outputs and inputs; without it there are none. */
  readonly folder?: string
  /** Storage for calls that name a path and no storage. */
  readonly ownStorage?: OwnStorage
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readMigrationConfig(env: Environment): MigrationConfig {
  const settings = readSettings(
    env,
    [
      'SIGNET_ISSUER',
      'SIGNET_TRUSTED_PROXIES',
      'SIGNET_RATE_LIMIT_MANAGEMENT',
      'SIGNET_MIGRATION_MASTER_KEY',
      'SIGNET_MIGRATION_ROLES',
      'SIGNET_MIGRATION_STALL_SECONDS',
      'SIGNET_MIGRATION_JOB_RETENTION_DAYS',
      'SIGNET_MIGRATION_SEALED_EXPORTS',
      'SIGNET_OAUTH_METADATA',
    ],
    [
      ...(['SIGNET_QUEUE_REDIS_URL', 'SIGNET_REDIS_URL', 'SIGNET_OUTBOUND_ALLOW'] as const),
      ...CERTIFICATE_SOURCE_SETTINGS,
      ...OWN_STORAGE_SETTINGS,
    ],
  )
  const { SIGNET_QUEUE_REDIS_URL: queue, SIGNET_REDIS_URL: shared } = settings
  if (queue === undefined && shared === undefined) {
    throw new ConfigurationError(['SIGNET_REDIS_URL: is required without SIGNET_QUEUE_REDIS_URL'])
  }
  const own = ownStorage(settings)
  return {
    issuer: settings.SIGNET_ISSUER,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: certificateSource(settings, 'migration'),
    rateLimits: { management: settings.SIGNET_RATE_LIMIT_MANAGEMENT },
    queueRedisUrl: watchedUrl(env, queue === undefined ? 'SIGNET_REDIS_URL' : 'SIGNET_QUEUE_REDIS_URL'),
    masterKeys: settings.SIGNET_MIGRATION_MASTER_KEY,
    roles: settings.SIGNET_MIGRATION_ROLES,
    stallSeconds: settings.SIGNET_MIGRATION_STALL_SECONDS,
    jobRetentionDays: settings.SIGNET_MIGRATION_JOB_RETENTION_DAYS,
    oauthMetadata: settings.SIGNET_OAUTH_METADATA,
    sealedExports: settings.SIGNET_MIGRATION_SEALED_EXPORTS,
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
    ...(own !== undefined && { ownStorage: own }),
  }
}

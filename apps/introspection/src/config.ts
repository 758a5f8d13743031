import type { BlockList } from 'node:net'
import { MUTUAL_TLS_SETTINGS, type MutualTls, mutualTls } from '@signet/platform/config/mutual-tls-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { TokenReviewServer } from '@signet/platform/config/token-review-settings'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'

export interface IntrospectionConfig extends RevocationConfig {
  readonly issuer: string
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: MutualTls | undefined
  /** API servers that are asked whether tokens of their issuers still count. */
  readonly tokenReviews?: readonly TokenReviewServer[] | undefined
  /** Requests a second of one client; absent: any number. */
  readonly rateLimits: { readonly introspection?: number | undefined; readonly userinfo?: number | undefined }
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readIntrospectionConfig(env: Environment): IntrospectionConfig {
  const settings = readSettings(
    env,
    [
      'SIGNET_ISSUER',
      'SIGNET_TRUSTED_PROXIES',
      ...REVOCATION_SETTINGS,
      'SIGNET_RATE_LIMIT_INTROSPECTION',
      'SIGNET_RATE_LIMIT_USERINFO',
    ],
    [...MUTUAL_TLS_SETTINGS, 'SIGNET_TOKEN_REVIEWS'],
  )
  return {
    issuer: settings.SIGNET_ISSUER,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: mutualTls(settings, 'introspection'),
    tokenReviews: settings.SIGNET_TOKEN_REVIEWS,
    ...revocationConfig(settings),
    rateLimits: {
      introspection: settings.SIGNET_RATE_LIMIT_INTROSPECTION,
      userinfo: settings.SIGNET_RATE_LIMIT_USERINFO,
    },
  }
}

/** How long the service stays ready without PostgreSQL: as long as it may answer, and no shorter than other services. */
export function toleratedMs(env: Environment): number {
  return Math.max(30_000, (readIntrospectionConfig(env).revocationBounds?.stalenessSeconds ?? 0) * 1_000)
}

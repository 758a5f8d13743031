import type { BlockList } from 'node:net'
import { type Environment, readSettings } from '@signet/service-runtime/settings'

export interface IntrospectionConfig {
  readonly issuer: string
  readonly trustedProxies: BlockList
  /** False: every check of a revocation is a query, for servers that do not tell their `run_id`. */
  readonly revocationLog: boolean
  /** Requests a second of one client; absent: any number. */
  readonly rateLimits: { readonly introspection?: number | undefined; readonly userinfo?: number | undefined }
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readIntrospectionConfig(env: Environment): IntrospectionConfig {
  const settings = readSettings(env, [
    'SIGNET_ISSUER',
    'SIGNET_TRUSTED_PROXIES',
    'SIGNET_REVOCATION_LOG',
    'SIGNET_RATE_LIMIT_INTROSPECTION',
    'SIGNET_RATE_LIMIT_USERINFO',
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    revocationLog: settings.SIGNET_REVOCATION_LOG,
    rateLimits: {
      introspection: settings.SIGNET_RATE_LIMIT_INTROSPECTION,
      userinfo: settings.SIGNET_RATE_LIMIT_USERINFO,
    },
  }
}

import type { BlockList } from 'node:net'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'

export interface TokenConfig extends RevocationConfig {
  readonly issuer: string
  readonly trustedProxies: BlockList
  /** Requests a second of one client; absent: any number. */
  readonly rateLimits: {
    readonly token?: number | undefined
    readonly revocation?: number | undefined
    /** Of one network at the token endpoint, by clients that do not authenticate. */
    readonly public?: number | undefined
  }
  /** Networks beside the public Internet in which applications may be told of a logout. */
  readonly outboundAllow: BlockList
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readTokenConfig(env: Environment): TokenConfig {
  const settings = readSettings(env, [
    'SIGNET_ISSUER',
    'SIGNET_TRUSTED_PROXIES',
    ...REVOCATION_SETTINGS,
    'SIGNET_OUTBOUND_ALLOW',
    'SIGNET_RATE_LIMIT_TOKEN',
    'SIGNET_RATE_LIMIT_REVOCATION',
    'SIGNET_RATE_LIMIT_PUBLIC',
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    ...revocationConfig(settings),
    rateLimits: {
      token: settings.SIGNET_RATE_LIMIT_TOKEN,
      revocation: settings.SIGNET_RATE_LIMIT_REVOCATION,
      public: settings.SIGNET_RATE_LIMIT_PUBLIC,
    },
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
  }
}

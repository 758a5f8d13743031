import type { BlockList } from 'node:net'
import type { Secret } from '@signet/platform/config/secret'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'

/** What the login service is told from outside, besides how to reach its dependencies. */
export interface LoginConfig extends RevocationConfig {
  /** Public origin of the suite; decides `iss` and the names of the cookies, never the Host header. */
  readonly issuer: string
  /** Newest first: the first one authenticates what this service writes, all of them verify it. */
  readonly masterKeys: Secret<readonly Buffer[]>
  /** Requests a second of one network at authorize and the sign-in pages; absent or 0: any number. */
  readonly rateLimits: { readonly signIn?: number | undefined }
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function loadLoginConfig(env: Environment): LoginConfig {
  const settings = readSettings(env, [
    'SIGNET_ISSUER',
    'SIGNET_LOGIN_MASTER_KEY',
    'SIGNET_RATE_LIMIT_SIGN_IN',
    'SIGNET_TRUSTED_PROXIES',
    ...REVOCATION_SETTINGS,
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_LOGIN_MASTER_KEY,
    rateLimits: { signIn: settings.SIGNET_RATE_LIMIT_SIGN_IN },
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    ...revocationConfig(settings),
  }
}

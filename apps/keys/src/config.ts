import type { BlockList } from 'node:net'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'

export interface KeysConfig {
  readonly issuer: string
  /** Newest first: the first seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly trustedProxies: BlockList
  /** Where to report a vulnerability; absent: nowhere. */
  readonly securityContacts?: readonly string[] | undefined
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readKeysConfig(env: Environment): KeysConfig {
  const settings = readSettings(
    env,
    ['SIGNET_ISSUER', 'SIGNET_KEYS_MASTER_KEY', 'SIGNET_TRUSTED_PROXIES'],
    ['SIGNET_SECURITY_CONTACT'],
  )
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_KEYS_MASTER_KEY,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    securityContacts: settings.SIGNET_SECURITY_CONTACT,
  }
}

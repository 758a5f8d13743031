import type { BlockList } from 'node:net'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'

export interface DirectoryConfig {
  /** Public origin of the suite. */
  readonly issuer: string
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly trustedProxies: BlockList
}

/** Reads what only the directory needs. Throws ConfigurationError with every problem at once. */
export function readDirectoryConfig(environment: Environment): DirectoryConfig {
  const settings = readSettings(environment, [
    'SIGNET_ISSUER',
    'SIGNET_DIRECTORY_MASTER_KEY',
    'SIGNET_TRUSTED_PROXIES',
  ])
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_DIRECTORY_MASTER_KEY,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
  }
}

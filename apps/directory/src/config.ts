import type { BlockList } from 'node:net'
import type { Secret } from '@signet/service-runtime/secret'
import { type Environment, readSettings } from '@signet/service-runtime/settings'

export interface DirectoryConfig {
  /** Newest first: the first one seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly trustedProxies: BlockList
}

/** Reads what only the directory needs. Throws ConfigurationError with every problem at once. */
export function readDirectoryConfig(environment: Environment): DirectoryConfig {
  const settings = readSettings(environment, ['SIGNET_DIRECTORY_MASTER_KEY', 'SIGNET_TRUSTED_PROXIES'])
  return {
    masterKeys: settings.SIGNET_DIRECTORY_MASTER_KEY,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
  }
}

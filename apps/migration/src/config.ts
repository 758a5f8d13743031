import type { Secret } from '@signet/service-runtime/secret'
import { type Environment, readSettings } from '@signet/service-runtime/settings'

export interface MigrationConfig {
  readonly queueRedisUrl: Secret
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readMigrationConfig(env: Environment): MigrationConfig {
  const own = readSettings(env, [], ['SIGNET_QUEUE_REDIS_URL']).SIGNET_QUEUE_REDIS_URL
  return { queueRedisUrl: own ?? readSettings(env, ['SIGNET_REDIS_URL']).SIGNET_REDIS_URL }
}

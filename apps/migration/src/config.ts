import type { Secret } from '@signet/service-runtime/secret'
import { ConfigurationError, type Environment, readSettings } from '@signet/service-runtime/settings'

export interface MigrationConfig {
  readonly queueRedisUrl: Secret
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readMigrationConfig(env: Environment): MigrationConfig {
  const settings = readSettings(env, [], ['SIGNET_QUEUE_REDIS_URL', 'SIGNET_REDIS_URL'])
  const queueRedisUrl = settings.SIGNET_QUEUE_REDIS_URL ?? settings.SIGNET_REDIS_URL
  if (queueRedisUrl === undefined) {
    throw new ConfigurationError(['SIGNET_REDIS_URL: is required without SIGNET_QUEUE_REDIS_URL'])
  }
  return { queueRedisUrl }
}

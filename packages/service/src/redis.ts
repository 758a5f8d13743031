import { setTimeout as pause } from 'node:timers/promises'
import { readSettings } from '@signet/platform/config/settings'
import { warnIfUnprotected } from '@signet/platform/config/store-protection'
import { watchedUrl } from '@signet/platform/config/watched-url'
import { createRedis, requireNoEviction } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import type { Resource } from './resources.ts'

/** The first look waits this long for the connection, so that an ordinary start reports no problem. */
const CONNECT_MS = 1_000

/** Redis of SIGNET_REDIS_URL for a service that can do without it for a while: it starts with or without it. */
export function createRedisResource(): Resource<Redis> {
  return (env) => createConnection(watchedUrl(env, 'SIGNET_REDIS_URL'), async () => undefined)
}

/**
 * Redis of SIGNET_REDIS_URL for the service that keeps revocations there: waits for it and refuses one that evicts.
 * With SIGNET_REVOCATION_LOG=off it keeps none there.
 */
export function createRevocationRedisResource(): Resource<Redis> {
  return (env) => {
    const settings = readSettings(env, [
      'SIGNET_REDIS_URL',
      'SIGNET_REVOCATION_LOG',
      'SIGNET_REVOCATION_MIRROR',
    ])
    return createConnection(watchedUrl(env, 'SIGNET_REDIS_URL'), async (client) => {
      if (!settings.SIGNET_REVOCATION_LOG || settings.SIGNET_REVOCATION_MIRROR === false) return
      await client.ping()
      await requireNoEviction(client)
    })
  }
}

function createConnection(
  url: { reveal(): string },
  usable: (client: Redis) => Promise<void>,
): ReturnType<Resource<Redis>> {
  return ({ service, logger }) => {
    warnIfUnprotected(logger, { url: url.reveal(), service, dependency: 'redis' })
    const client = createRedis({
      url,
      name: service,
      onError: (error) => logger.warn('redis_connection_lost', { error }),
    })
    // It retries by itself; every error is reported above.
    const connecting = client.connect().catch(() => undefined)
    return {
      value: client,
      async usable() {
        await Promise.race([connecting, pause(CONNECT_MS)])
        await usable(client)
      },
      degraded: () => (client.status === 'ready' ? [] : ['redis']),
      close: () => client.disconnect(),
    }
  }
}

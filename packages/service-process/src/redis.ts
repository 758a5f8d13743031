import { setTimeout as pause } from 'node:timers/promises'
import { createRedis, type Redis, requireNoEviction } from '@signet/redis/client'
import { readSettings } from '@signet/service-runtime/settings'
import type { Resource } from './resource.ts'

/** The first look waits this long for the connection, so that an ordinary start reports no problem. */
const CONNECT_MS = 1_000

/** Redis of SIGNET_REDIS_URL for a service that can do without it for a while: it starts with or without it. */
export function redis(): Resource<Redis> {
  return connection(async () => undefined)
}

/**
 * Redis of SIGNET_REDIS_URL for the service that keeps revocations there: waits for it and refuses one that evicts.
 * With SIGNET_REVOCATION_MIRROR=off it keeps none there.
 */
export function redisOfRevocations(): Resource<Redis> {
  return (env) => {
    const { SIGNET_REVOCATION_MIRROR: mirror } = readSettings(env, ['SIGNET_REVOCATION_MIRROR'])
    return connection(async (client) => {
      if (!mirror) return
      await client.ping()
      await requireNoEviction(client)
    })(env)
  }
}

function connection(usable: (client: Redis) => Promise<void>): Resource<Redis> {
  return (env) => {
    const { SIGNET_REDIS_URL: url } = readSettings(env, ['SIGNET_REDIS_URL'])
    return ({ service, logger }) => {
      const client = createRedis({
        url,
        name: service,
        onError: (error) => logger.warn('redis_connection_lost', { error }),
      })
      // It goes on trying by itself; every error is reported above.
      const connecting = client.connect().catch(() => undefined)
      return {
        value: client,
        async usable() {
          await Promise.race([connecting, pause(CONNECT_MS)])
          await usable(client)
        },
        close: () => client.disconnect(),
      }
    }
  }
}

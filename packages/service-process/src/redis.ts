import { createRedis, type Redis, requireNoEviction } from '@signet/redis/client'
import { readSettings } from '@signet/service-runtime/settings'
import type { Resource } from './resource.ts'

/** Redis of SIGNET_REDIS_URL for a service that can do without it for a while: it starts with or without it. */
export function redis(): Resource<Redis> {
  return connection(async () => undefined)
}

/** Redis of SIGNET_REDIS_URL for the service that keeps revocations there: waits for it, refuses one that evicts. */
export function redisWithoutEviction(): Resource<Redis> {
  return connection(async (client) => {
    await client.ping()
    await requireNoEviction(client)
  })
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
      client.connect().catch(() => undefined)
      return { value: client, usable: () => usable(client), close: () => client.disconnect() }
    }
  }
}

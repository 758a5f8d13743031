import { freePort } from '@signet/testing/free-port'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { startClusterTopology, startSentinelTopology } from '@signet/testing/redis-topologies'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../src/config/settings-fields.ts'
import { connectRedis, createRedis, requireNoEviction } from '../../src/redis/client.ts'
import type { Redis } from '../../src/redis/connection.ts'
import { createQueueConnection } from '../../src/redis/queue-connection.ts'

/** A sentinel that was held up for 2 s decides nothing for the next 30: its TILT mode. */
const AFTER_TILT = { timeout: 45_000 }

const opened: Pick<Redis, 'disconnect'>[] = []
afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect()
})

async function connect(url: Secret): Promise<Redis> {
  const redis = createRedis({ url, name: 'test' })
  opened.push(redis)
  await connectRedis(redis)
  return redis
}

describe('one server', () => {
  let server: RedisProcess
  beforeAll(async () => {
    server = await startRedisProcess()
  })
  afterAll(() => server.drop())

  it.each(['allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl'])(
    'is refused under %s',
    async (policy) => {
      await server.admin.config('SET', 'maxmemory-policy', policy)
      await expect(requireNoEviction(await connect(server.url))).rejects.toThrow(`maxmemory-policy ${policy}`)
    },
  )

  it('is accepted under noeviction', async () => {
    await server.admin.config('SET', 'maxmemory-policy', 'noeviction')
    await expect(requireNoEviction(await connect(server.url))).resolves.toBeUndefined()
  })

  it('refuses a server that hides its policy, and accepts CONFIG where INFO does not have it', async () => {
    await server.admin.acl('SETUSER', 'mute', 'on', '>secret', '~*', '+@all', '-info', '-config')
    const url = new Secret(`redis://mute:secret@127.0.0.1:${server.port}`)
    await expect(requireNoEviction(await connect(url))).rejects.toThrow('SIGNET_REVOCATION_LOG=off')
    await server.admin.acl('SETUSER', 'mute', '+config')
    await expect(requireNoEviction(await connect(url))).resolves.toBeUndefined()
  })

  it('does not take a lost connection for a server that hides its policy', async () => {
    const redis = await connect(server.url)
    server.freeze()
    const check = () =>
      requireNoEviction(redis).then(
        () => 'accepted',
        (error: Error) => error.name,
      )
    const checked = check()
    await server.restart()
    expect(await checked).toBe('MaxRetriesPerRequestError')
    await expect.poll(check).toBe('accepted')
  })

  it('keeps to the database of the URL', async () => {
    const redis = await connect(new Secret(`${server.url.reveal()}/3`))
    await redis.set('here', '1')
    expect(await server.admin.get('here')).toBeNull()
  })

  it('a command in flight when the connection is lost fails and is not sent to the next server', async () => {
    const redis = await connect(server.url)
    server.freeze()
    const counted = redis.incr('counter').catch((error: unknown) => error)
    await server.restart()
    expect(await counted).toBeInstanceOf(Error)
    await expect.poll(() => redis.ping().catch(() => undefined), { timeout: 10_000 }).toBe('PONG')
    expect(await redis.get('counter')).toBeNull()
  })
})

it.each(['commands', 'a queue'])(
  'a connection for %s takes the password that the URL has by then',
  async (use) => {
    const server = await startRedisProcess()
    try {
      const setPassword = (password: string) =>
        server.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', `>${password}`, '~*', '&*', '+@all')
      await setPassword('first')
      let password = 'first'
      const url = { reveal: () => `redis://app:${password}@127.0.0.1:${server.port}` }
      const redis =
        use === 'commands'
          ? createRedis({ url, name: 'test' })
          : createQueueConnection({ url, name: 'test', onError: () => undefined })
      opened.push(redis)
      if (use === 'commands') await connectRedis(redis)
      expect(await redis.ping()).toBe('PONG')
      // As Redis does for ACL LOAD with a file that no longer has the password.
      await setPassword('second')
      await server.admin.call('CLIENT', 'KILL', 'USER', 'app')
      await expect.poll(() => redis.status).not.toBe('ready')
      password = 'second'
      await expect.poll(() => redis.status, { timeout: 10_000 }).toBe('ready')
      expect(await redis.ping()).toBe('PONG')
    } finally {
      await server.drop()
    }
  },
)

it('a server that is not there is a start failure that names the setting', async () => {
  const redis = createRedis({ url: new Secret(`redis://127.0.0.1:${await freePort()}`), name: 'test' })
  await expect(connectRedis(redis)).rejects.toThrow('SIGNET_REDIS_URL')
})

it('Sentinel: commands go to the primary, and to its successor after a failover', {
  timeout: 120_000,
}, async () => {
  const { url, primary, replica, drop } = await startSentinelTopology()
  try {
    const redis = await connect(url)
    await redis.set('key', 'first')
    expect(await primary.admin.get('key')).toBe('first')
    await requireNoEviction(redis)
    await primary.kill()
    await expect.poll(() => redis.set('key', 'second').catch(() => undefined), AFTER_TILT).toBe('OK')
    expect(await replica.admin.get('key')).toBe('second')
  } finally {
    await drop()
  }
})

it('Cluster: commands reach the primary of their key; every primary must be free of eviction', async () => {
  const { url, primaries, drop } = await startClusterTopology()
  try {
    const redis = await connect(url)
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
    for (const key of keys) await redis.set(key, key)
    expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(keys)
    const sizes = await Promise.all(primaries.map(({ admin }) => admin.dbsize()))
    expect(Math.min(...sizes)).toBeGreaterThan(0)
    await expect(requireNoEviction(redis)).resolves.toBeUndefined()
    await primaries[2].admin.config('SET', 'maxmemory-policy', 'volatile-lru')
    await expect(requireNoEviction(redis)).rejects.toThrow('volatile-lru')
  } finally {
    await drop()
  }
})

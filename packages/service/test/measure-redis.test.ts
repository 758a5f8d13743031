import { createMetrics } from '@signet/platform/metrics/metrics'
import { createRedis } from '@signet/platform/redis/client'
import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { expect, it } from 'vitest'
import { startMeasuringCommands } from '../src/measure-redis.ts'

it('measures commands by outcome, and none that wait at the server', async () => {
  const server = await startPrivateRedis()
  const metrics = createMetrics()
  const stop = startMeasuringCommands(metrics)
  const redis = createRedis({ url: server.url, name: 'test' })
  try {
    await redis.connect()
    const before = await counts()
    await redis.set('a', '1')
    await expect(redis.incr('a')).resolves.toBe(2)
    await expect(redis.hget('a', 'b')).rejects.toThrow('WRONGTYPE')
    await redis.blpop('none', 0.01)
    expect(await counts()).toEqual({ ok: (before.ok ?? 0) + 2, failed: 1 })
    stop()
    await redis.get('a')
    expect(await counts()).toMatchObject({ ok: (before.ok ?? 0) + 2 })
  } finally {
    redis.disconnect()
    await server.drop()
  }

  async function counts(): Promise<Readonly<Record<string, number>>> {
    const series = (await metrics.text()).matchAll(
      /^signet_redis_command_duration_seconds_count\{outcome="(\w+)"\} (\d+)$/gm,
    )
    return Object.fromEntries([...series].map(([, outcome, value]) => [outcome, Number(value)]))
  }
})

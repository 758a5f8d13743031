import { silentLogger } from '@signet/platform/logger/logger'
import { createQueueConnection } from '@signet/platform/redis/queue-connection'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { startClusterTopology, startSentinelTopology } from '@signet/testing/redis-topologies'
import { Queue, Worker } from 'bullmq'
import { afterEach, expect, it } from 'vitest'
import { openJobQueue, QUEUE, startQueueWorker } from '../src/jobs/job-queue.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function openQueue(url: { reveal(): string }) {
  const queue = openJobQueue({ redisUrl: url, logger: silentLogger, tracing: undefined })
  closing.push(() => queue.close())
  return queue
}

/** A worker that tells what it was given, and the means to give it something, on connections of the queue's kind. */
function consume(url: { reveal(): string }) {
  const consumed: string[] = []
  const connection = createQueueConnection({ url, name: 'test', onError: () => undefined })
  const worker = new Worker(QUEUE.name, async ({ name }) => void consumed.push(name), {
    prefix: QUEUE.prefix,
    connection,
  })
  const queue = new Queue(QUEUE.name, { prefix: QUEUE.prefix, connection })
  worker.on('error', () => undefined)
  queue.on('error', () => undefined)
  closing.push(async () => {
    await worker.close()
    await queue.close()
    connection.disconnect()
  })
  return { consumed, add: (name: string) => queue.add(name, {}) }
}

it('reports a queue whose server is down at the start, later silent, and back again', async () => {
  const server = await startRedisProcess()
  closing.push(() => server.drop())
  await server.kill()
  const queue = openQueue(server.url)
  expect(await queue.isReachable()).toBe(false)
  await server.restart()
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
  await queue.dispatch('job', 1)
  await queue.isReachable()
  expect(queue.counts()).toEqual({ waiting: 2, active: 0 })
  server.freeze()
  expect(await queue.isReachable()).toBe(false)
  server.thaw()
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
})

it('reports a queue whose server refuses writes', async () => {
  const server = await startRedisProcess(['--maxmemory-policy', 'noeviction'])
  closing.push(() => server.drop())
  const queue = openQueue(server.url)
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
  await server.admin.config('SET', 'maxmemory', '1')
  expect(await queue.isReachable()).toBe(false)
  await expect(queue.dispatch('job', 1)).rejects.toThrow('OOM')
  await server.admin.config('SET', 'maxmemory', '0')
  expect(await queue.isReachable()).toBe(true)
})

it.each([
  ['is down', (server: RedisProcess) => server.kill()],
  ['is silent', async (server: RedisProcess) => server.freeze()],
])('stops a worker within two seconds, after its batch, while the server %s', async (_, end) => {
  const server = await startRedisProcess()
  closing.push(() => server.drop())
  const queue = openQueue(server.url)
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const worker = startQueueWorker(
    async () => {
      begun.resolve()
      await mayEnd.promise
    },
    { redisUrl: server.url, logger: silentLogger, tracing: undefined },
  )
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
  await queue.dispatch('job', 1)
  await begun.promise
  await end(server)
  let isClosed = false
  const closed = worker.close().then(() => {
    isClosed = true
  })
  await expect.poll(() => queue.isReachable()).toBe(false)
  expect(isClosed).toBe(false)
  const startedAt = performance.now()
  mayEnd.resolve()
  await closed
  await queue.close()
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

it('Sentinel: the queue and its workers follow the primary', { timeout: 120_000 }, async () => {
  const { url, primary, replica, drop } = await startSentinelTopology()
  closing.push(drop)
  const queue = openQueue(url)
  const { consumed, add } = consume(url)
  await add('before')
  await expect.poll(() => consumed, { timeout: 10_000 }).toEqual(['before'])
  expect(await queue.isReachable()).toBe(true)
  expect(await primary.admin.exists(`${QUEUE.prefix}:${QUEUE.name}:id`)).toBe(1)
  await primary.kill()
  await add('after')
  // A sentinel that was held up for 2 s decides nothing for the next 30: its TILT mode.
  await expect.poll(() => consumed, { timeout: 45_000 }).toContain('after')
  expect(await replica.admin.exists(`${QUEUE.prefix}:${QUEUE.name}:id`)).toBe(1)
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
})

it('Cluster: the keys of the queue are in one slot, and workers take jobs from there', async () => {
  const { url, primaries, drop } = await startClusterTopology()
  closing.push(drop)
  const queue = openQueue(url)
  const { consumed, add } = consume(url)
  await add('one')
  await add('two')
  await expect.poll(() => consumed, { timeout: 10_000 }).toEqual(['one', 'two'])
  await expect.poll(() => queue.isReachable(), { timeout: 10_000 }).toBe(true)
  const sizes = await Promise.all(primaries.map(({ admin }) => admin.dbsize()))
  expect(sizes.filter((size) => size > 0)).toHaveLength(1)
})

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { startSentinelTopology } from '@signet/testing/redis-topologies'
import { afterEach, expect, it } from 'vitest'
import { readRedisUrl } from '../../src/config/redis-url.ts'
import { Secret } from '../../src/config/settings-fields.ts'
import { connectRedis, createRedis } from '../../src/redis/client.ts'

/** A sentinel that was held up for 2 s decides nothing for the next 30: its TILT mode. */
const AFTER_TILT = { timeout: 45_000 }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A way to a sentinel on which new connections can be kept waiting, while those that exist go on. */
async function startWay(port: number) {
  const sockets = new Set<Socket>()
  const way = { held: false, port: 0, open: () => sockets.size }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    if (way.held) return
    const sentinel = connect(port, '127.0.0.1').on('error', () => socket.destroy())
    socket.pipe(sentinel).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  way.port = typeof address === 'object' && address !== null ? address.port : 0
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return way
}

it('Sentinel: a failover announced while the client looks up the primary does not end the client', {
  timeout: 120_000,
}, async () => {
  const { url, primary, replica, drop } = await startSentinelTopology()
  closing.push(drop)
  const way = await startWay(readRedisUrl(url.reveal())?.hosts[0]?.port ?? 0)
  const redis = createRedis({
    url: new Secret(`redis+sentinel://127.0.0.1:${way.port}/signet`),
    name: 'test',
  })
  closing.push(() => redis.disconnect())
  await connectRedis(redis)
  // The connection of the query is closed again; the remaining one is open for announcements.
  await expect.poll(() => way.open()).toBe(1)

  way.held = true
  await primary.kill()
  await expect.poll(async () => (await replica.admin.role())[0], AFTER_TILT).toBe('master')
  way.held = false
  await expect.poll(() => redis.set('key', 'value').catch(() => undefined), AFTER_TILT).toBe('OK')
})

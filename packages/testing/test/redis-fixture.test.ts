import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestRedis, startPrivateRedis } from '../src/redis-fixture.ts'

function connect(url: { reveal(): string }): Redis {
  const client = new Redis(url.reveal())
  onTestFinished(() => client.disconnect())
  return client
}

describe('createTestRedis', () => {
  it('gives databases that do not see each other, and gives them back empty', async () => {
    const [first, second] = await Promise.all([createTestRedis(), createTestRedis()])
    await connect(first.url).set('key', 'first')
    await expect(connect(second.url).get('key')).resolves.toBeNull()
    const reader = connect(first.url)
    await first.drop()
    await expect(reader.get('key')).resolves.toBeNull()
    await second.drop()
  })
})

describe('startPrivateRedis', () => {
  it('gives a server with a run_id of its own', async () => {
    const servers = await Promise.all([startPrivateRedis(), startPrivateRedis()])
    for (const server of servers) onTestFinished(() => server.drop())
    const runIds = await Promise.all(
      servers.map(async ({ url }) => /run_id:(\w+)/.exec(await connect(url).info('server'))?.[1]),
    )
    expect(runIds[0]).toMatch(/^\w{40}$/)
    expect(runIds[0]).not.toBe(runIds[1])
  })
})

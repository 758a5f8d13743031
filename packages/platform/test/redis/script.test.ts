import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Secret } from '../../src/config/settings-fields.ts'
import { connectRedis, createRedis } from '../../src/redis/client.ts'
import type { Redis } from '../../src/redis/connection.ts'
import { createScript, runScript } from '../../src/redis/script.ts'

const ADD = createScript(`return redis.call('INCRBY', KEYS[1], ARGV[1])`)

let server: Awaited<ReturnType<typeof startPrivateRedis>>
const opened: Redis[] = []
beforeAll(async () => {
  server = await startPrivateRedis()
})
afterAll(async () => {
  for (const redis of opened) redis.disconnect()
  await server?.drop()
})

async function connect(user?: string): Promise<Redis> {
  const url = new URL(server.url.reveal())
  if (user !== undefined) Object.assign(url, { username: user, password: user })
  const redis = createRedis({ url: new Secret(url.href), name: 'scripts' })
  opened.push(redis)
  await connectRedis(redis)
  return redis
}

/** How often the server ran a command. */
async function runs(redis: Redis, command: string): Promise<number> {
  const calls = new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(
    await redis.info('commandstats'),
  )?.[1]
  return Number(calls ?? 0)
}

it('sends the text of a script to a server that does not know it, and then its hash alone', async () => {
  const redis = await connect()
  expect(await runScript(redis, ADD, ['{n}'], [2])).toBe(2)
  expect(await runs(redis, 'eval')).toBe(1)
  expect(await runScript(redis, ADD, ['{n}'], [3])).toBe(5)
  expect([await runs(redis, 'eval'), await runs(redis, 'evalsha')]).toEqual([1, 2])
})

it('sends the text where the ACL of its user allows EVAL only', async () => {
  const admin = await connect()
  await admin.call('ACL', 'SETUSER', 'former', 'on', '>former', '~*', '+info', '+select', '+eval', '+incrby')
  const redis = await connect('former')
  expect(await runScript(redis, ADD, ['{other}'], [2])).toBe(2)
})

it('passes on the error of a script, which runs once', async () => {
  const redis = await connect()
  await redis.set('{text}', 'no number')
  const before = await runs(redis, 'eval')
  await expect(runScript(redis, ADD, ['{text}'], [1])).rejects.toThrow('not an integer')
  expect(await runs(redis, 'eval')).toBe(before)
})

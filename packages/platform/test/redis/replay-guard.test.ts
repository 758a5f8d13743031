import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Secret } from '../../src/config/settings-fields.ts'
import { connectRedis, createRedis } from '../../src/redis/client.ts'
import type { Redis } from '../../src/redis/connection.ts'
import { createReplayGuard } from '../../src/redis/replay-guard.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const now = NOW.getTime() / 1000
const use = { owner: 'web', id: 'j1', issuedAt: now, expiresAt: now + 60 }

let server: Awaited<ReturnType<typeof startPrivateRedis>>
const replicas: Redis[] = []
beforeAll(async () => {
  server = await startPrivateRedis()
  for (const name of ['a', 'b']) {
    const redis = createRedis({ url: new Secret(server.url.reveal()), name })
    replicas.push(redis)
    await connectRedis(redis)
  }
})
afterAll(async () => {
  for (const redis of replicas) redis.disconnect()
  await server?.drop()
})
beforeEach(() => replicas[0]?.flushdb())

const guards = (kind: Parameters<typeof createReplayGuard>[2]) =>
  replicas.map((redis) => createReplayGuard(redis, () => NOW, kind))

it('lets one of many parallel uses through on two replicas', async () => {
  const both = guards('dpop-proof')
  const uses = Array.from({ length: 20 }, (_, n) => both[n % 2]?.admit(use, NOW))
  const verdicts = await Promise.all(uses)
  expect(verdicts.filter((verdict) => verdict === 'first')).toHaveLength(1)
  expect(verdicts.filter((verdict) => verdict === 'used')).toHaveLength(19)
})

it('keeps kinds and owners apart, also where their names contain separators', async () => {
  const [assertions] = guards('client-assertion')
  const [proofs] = guards('dpop-proof')
  for (const [guard, changed] of [
    [assertions, {}],
    [proofs, {}],
    [proofs, { owner: 'api' }],
    [proofs, { owner: 'web:j1', id: '' }],
    [proofs, { owner: 'web', id: 'j1:' }],
  ] as const) {
    expect(await guard?.admit({ ...use, ...changed }, NOW)).toBe('first')
    expect(await guard?.admit({ ...use, ...changed }, NOW)).toBe('used')
  }
})

it('refuses what was made before Redis lost its records, and what a fast clock may have made', async () => {
  const [guard] = guards('dpop-proof')
  expect(await guard?.admit(use, NOW)).toBe('first')
  await replicas[0]?.flushdb()
  expect(await guard?.admit(use, NOW)).toBe('unrecorded')
  expect(await guard?.admit({ ...use, id: 'j2', issuedAt: now + 59 }, NOW)).toBe('unrecorded')
  expect(await guard?.admit({ ...use, id: 'j3', issuedAt: now + 60 }, NOW)).toBe('first')
})

it.each([
  ['noticed while it ran', () => guards('dpop-proof')[0]],
  ['before a replica started', () => undefined],
])('after a loss that was %s refuses what was made before it by a clock of ours', async (_, start) => {
  const running = start()
  await running?.admit({ ...use, id: 'first' }, NOW)
  await replicas[0]?.flushdb()
  const guard = running ?? guards('dpop-proof')[0]
  const made = (id: string, madeAfter: number) =>
    guard?.admit({ ...use, id, issuedAt: now - 1, madeAfter }, NOW)
  expect(await made('j1', now - 5)).toBe('unrecorded')
  expect(await made('j2', now - 1)).toBe('unrecorded')
  expect(await made('j3', now)).toBe('first')
})

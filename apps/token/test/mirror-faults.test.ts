import { startRedisProcess } from '@signet/testkit/redis-process'
import { size } from '@signet/testkit/sizes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type MirrorWorld, SOON, startMirrorWorld } from './fixtures/mirror-world.ts'
import { newToken } from './fixtures/revocation-world.ts'

let world: MirrorWorld
beforeEach(async () => {
  world = await startMirrorWorld()
})
afterEach(() => world.stop())

it('what was revoked before the call is ended for every reader', { timeout: 600_000 }, async () => {
  const { publisher } = await world.whole()
  const readers = await Promise.all([1, 2, 3].map(() => world.reader(world.redis.url)))
  for (const reader of readers) await expect.poll(() => reader.askMirror(newToken()), SOON).toBe(false)
  await expect.poll(async () => answersFromMirror(readers)).toBe(true)
  for (let round = 0; round < size('revocations'); round += 1) {
    const token = newToken()
    await publisher.revoke(token)
    expect(await Promise.all(readers.map((reader) => reader.isEnded(token)))).toEqual([true, true, true])
    expect(await Promise.all(readers.map((reader) => reader.askMirror(token)))).toEqual([true, true, true])
  }

  async function answersFromMirror(all: typeof readers) {
    const before = all.map((reader) => reader.checksInPostgres())
    await Promise.all(all.map((reader) => reader.isEnded(newToken())))
    return all.every((reader, index) => reader.checksInPostgres() === before[index])
  }
})

it('what is asked at once is one command for each shard, and everybody gets the answer about its own', async () => {
  const { publisher, reader } = await world.whole()
  const subject = newToken().subject
  const tokens = Array.from({ length: 40 }, (_, n) => ({ ...newToken(), subject, tokenId: `token-${n}` }))
  const ended = tokens.filter((_, n) => n % 3 === 0)
  for (const token of ended) await publisher.revoke(token)
  const asked = async () =>
    Number(/cmdstat_mget:calls=(\d+)/.exec(await world.redis.admin.info('commandstats'))?.[1])
  const before = await asked()
  const answers = await Promise.all(tokens.map((token) => reader.askMirror(token)))
  expect(answers).toEqual(tokens.map((token) => ended.includes(token)))
  expect(await asked()).toBe(before + 1)
})

it('FLUSHALL: the mirror does not vouch for what it forgot, and is whole again after a refill', async () => {
  const { publisher, reader } = await world.whole()
  const token = newToken()
  await publisher.revoke(token)
  await world.redis.admin.flushall()
  expect(await reader.askMirror(token)).toBeUndefined()
  expect(await reader.isEnded(token)).toBe(true)
  await publisher.untilWhole()
  expect(await reader.askMirror(token)).toBe(true)
})

it('kill -9 and a start from a snapshot older than the revocation: the old fill marker counts for nothing', async () => {
  const { publisher, reader } = await world.whole()
  const token = newToken()
  await world.redis.admin.save()
  await publisher.revoke(token)
  await world.redis.restart()
  expect(await world.redis.admin.keys('*:fill')).toHaveLength(16)
  const answers = new Set<boolean | undefined>()
  await expect
    .poll(async () => {
      answers.add(await reader.askMirror(token))
      expect(await reader.isEnded(token)).toBe(true)
      return reader.redis.status
    }, SOON)
    .toBe('ready')
  await publisher.untilWhole()
  await expect
    .poll(async () => {
      const answer = await reader.askMirror(token)
      answers.add(answer)
      return answer
    }, SOON)
    .toBe(true)
  expect(answers).not.toContain(false)
})

it('a second flush in the middle of a refill leaves the shards undeclared', async () => {
  const { publisher, reader } = await world.whole()
  const token = newToken()
  await publisher.revoke(token)
  await world.redis.admin.flushall()
  const shards = (await publisher.store.shardsToFill()) ?? []
  expect(shards).toHaveLength(16)
  await publisher.store.fill(shards, async () => {
    const all = await world.revocations.all()
    await world.redis.admin.flushall()
    return all
  })
  expect(await publisher.store.shardsToFill()).toEqual(shards)
  expect(await reader.askMirror(token)).toBeUndefined()
  await publisher.untilWhole()
  expect(await reader.askMirror(token)).toBe(true)
})

it('a server that served as a replica of another has the data of that other: its own fill marker counts for nothing', async () => {
  const { publisher, reader } = await world.whole()
  const token = newToken()
  const other = await startRedisProcess()
  try {
    await other.admin.replicaof('127.0.0.1', world.redis.port)
    await expect.poll(() => other.admin.keys('*:fill'), SOON).toHaveLength(16)
    await other.admin.replicaof('NO', 'ONE')
    await publisher.revoke(token)
    expect(await reader.askMirror(token)).toBe(true)
    await world.redis.admin.replicaof('127.0.0.1', other.port)
    await expect.poll(() => world.redis.admin.info('replication'), SOON).toContain('master_link_status:up')
    await world.redis.admin.replicaof('NO', 'ONE')
    expect(await world.redis.admin.keys('*:t:*')).toEqual([])
    expect(await world.redis.admin.keys('*:fill')).toHaveLength(16)
    await reader.poll()
    expect(await reader.isEnded(token)).toBe(true)
    const late = await world.reader(world.redis.url)
    expect(await publisher.store.shardsToFill()).toHaveLength(16)
    expect(await late.askMirror(token)).toBeUndefined()
    await publisher.untilWhole()
    expect(await late.askMirror(token)).toBe(true)
  } finally {
    await other.drop()
  }
})

it('a replica of token that comes back from a deposed primary writes again what it may have told only that one', async () => {
  const { publisher, reader } = await world.whole()
  await world.redis.restart()
  const other = await world.publisher(world.redis.url)
  await other.untilWhole()
  // Committed after the successor was filled, and published to its predecessor.
  const token = newToken()
  const published = await world.database.transaction((tx) =>
    world.revocations.record(
      tx,
      [{ kind: 't', id: token.tokenId ?? '', value: 1, subject: token.subject }],
      new Date(),
    ),
  )
  await world.revocations.markPublished(published)
  await other.keepWhole()
  await expect.poll(() => reader.askMirror(token), SOON).toBe(false)
  await expect.poll(() => publisher.redis.status, SOON).toBe('ready')
  await publisher.keepWhole()
  expect(await reader.askMirror(token)).toBe(true)
})

it('maxmemory: a revocation that Redis refuses is 503 with Retry-After, and in force once there is memory', async () => {
  const { publisher, reader } = await world.whole()
  const token = newToken()
  await world.redis.admin.config('SET', 'maxmemory', '1')
  await expect(publisher.revoke(token)).rejects.toMatchObject({
    status: 503,
    code: 'temporarily_unavailable',
    headers: { 'Retry-After': '1' },
  })
  expect(await world.revocations.all()).toMatchObject([{ id: token.tokenId }])
  await expect(publisher.revoke(token)).rejects.toMatchObject({ status: 503 })
  await reader.poll()
  expect(await reader.isEnded(token)).toBe(true)
  await world.redis.admin.config('SET', 'maxmemory', '0')
  await expect
    .poll(async () => {
      await publisher.keepWhole()
      return reader.askMirror(token)
    }, SOON)
    .toBe(true)
})

it('Redis down: PostgreSQL answers, rightly both ways', async () => {
  const { publisher, reader } = await world.whole()
  const [ended, alive] = [newToken(), newToken()]
  await publisher.revoke(ended)
  await world.redis.kill()
  expect(await Promise.all([reader.isEnded(ended), reader.isEnded(alive)])).toEqual([true, false])
  await expect(publisher.revoke(alive)).rejects.toMatchObject({ status: 503 })
  expect(await reader.isEnded(alive)).toBe(true)
})

it('a deposed primary that still answers hides a revocation until the next poll and no longer', async () => {
  const { reader } = await world.whole()
  const promoted = await startRedisProcess()
  try {
    const publisher = await world.publisher(promoted.url)
    await publisher.untilWhole()
    const token = newToken()
    await reader.poll()
    await publisher.revoke(token)
    expect(await reader.askMirror(token)).toBe(false)
    await reader.poll()
    expect(await reader.isEnded(token)).toBe(true)
    const unpolled = newToken()
    await publisher.revoke(unpolled)
    await expect.poll(() => reader.isEnded(unpolled), SOON).toBe(true)
  } finally {
    await promoted.drop()
  }
})

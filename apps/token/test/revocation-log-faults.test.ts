import { setImmediate as nextTurn } from 'node:timers/promises'
import { LOG_KEY, LOG_SHARD } from '@signet/revocation-reader/mirror-keys'
import { seeded } from '@signet/testkit/seeded'
import { size } from '@signet/testkit/sizes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { harm } from './fixtures/log-faults.ts'
import { askedUntilItAnswers, endOf, followedLog, untilItAnswers } from './fixtures/log-world.ts'
import { type MirrorWorld, SOON, startMirrorWorld } from './fixtures/mirror-world.ts'
import { newToken } from './fixtures/revocation-world.ts'

let world: MirrorWorld
beforeEach(async () => {
  world = await startMirrorWorld()
})
afterEach(() => world.stop())

it('FLUSHALL: the log does not vouch for what it forgot, and answers rightly after a refill', async () => {
  const { publisher, reader } = await followedLog(world)
  const [known, unknown, later] = [newToken(), newToken(), newToken()]
  await publisher.revoke(known)
  expect(await reader.askLog(known)).toBe(true)
  await publisher.revoke(unknown)
  await world.redis.admin.flushall()
  await publisher.revoke(later)
  for (const token of [later, unknown, known]) expect(await reader.askLog(token)).toBeUndefined()
  await publisher.untilWhole()
  for (const token of [later, unknown, known]) {
    expect(await askedUntilItAnswers(reader, token)).not.toContain(false)
    expect(await reader.askLog(token)).toBe(true)
  }
  expect(await reader.askLog(newToken())).toBe(false)
})

it('the log is deleted alone: it does not vouch for what it forgot, and answers rightly from the next round of upkeep on', async () => {
  const { publisher, reader } = await followedLog(world)
  const [unknown, later] = [newToken(), newToken()]
  await publisher.revoke(unknown)
  await world.redis.admin.del(LOG_KEY)
  await publisher.revoke(later)
  for (const token of [later, unknown]) expect(await reader.askLog(token)).toBeUndefined()
  await publisher.keepWhole()
  for (const token of [later, unknown]) {
    expect(await askedUntilItAnswers(reader, token)).not.toContain(false)
    expect(await reader.askLog(token)).toBe(true)
  }
  expect(await reader.askLog(newToken())).toBe(false)
})

it('kill -9 and a start from a snapshot older than a revocation: the log in it is nobody’s until a refill', async () => {
  const { publisher, reader } = await followedLog(world)
  await world.redis.admin.save()
  const token = newToken()
  await publisher.revoke(token)
  await world.redis.restart()
  expect(await world.redis.admin.xlen(LOG_KEY)).toBe(1)
  const late = await world.reader(world.redis.url)
  const answers = new Set<boolean | undefined>()
  const askBoth = async () => {
    for (const each of [reader, late]) answers.add(await each.askLog(token))
  }
  await expect
    .poll(async () => {
      await askBoth()
      return [reader.redis.status, publisher.redis.status]
    }, SOON)
    .toEqual(['ready', 'ready'])
  const second = newToken()
  await publisher.revoke(second)
  for (const each of [reader, late]) answers.add(await each.askLog(second))
  await publisher.untilWhole()
  for (const each of [reader, late]) {
    await untilItAnswers(each)
    expect(await each.askLog(second)).toBe(true)
    expect(await each.askLog(token)).toBe(true)
  }
  expect(answers).toEqual(new Set([undefined]))
})

it('a refill of a server that never lost anything has readers begin anew: it may bring what only a deposed primary was told', async () => {
  const { publisher, reader } = await followedLog(world)
  const token = newToken()
  const recorded = await world.database.transaction((tx) =>
    world.revocations.record(tx, [endOf(token)], new Date()),
  )
  await world.revocations.markPublished(recorded)
  expect(await reader.askLog(token)).toBe(false)
  await publisher.store.fill([LOG_SHARD], () => world.revocations.all())
  expect(await askedUntilItAnswers(reader, token)).not.toContain(false)
  expect(await reader.askLog(token)).toBe(true)
})

it('a replica that stops takes the log away, and another opens it again', async () => {
  const { publisher, reader } = await followedLog(world)
  await publisher.store.closeLog()
  expect(await reader.askLog(newToken())).toBeUndefined()
  await publisher.revoke(newToken())
  expect(await world.redis.admin.exists(LOG_KEY)).toBe(0)
  await (await world.publisher(world.redis.url)).keepWhole()
  await untilItAnswers(reader)
})

it('a log that is deleted and begun anew within a millisecond, under the id that was read last, is not taken for the old one', async () => {
  const { publisher, reader } = await followedLog(world)
  const other = await world.publisher(world.redis.url)
  const record = (token: ReturnType<typeof newToken>) =>
    world.database.transaction((tx) => world.revocations.record(tx, [endOf(token)], new Date()))
  // One time is enough for nearly every order of arrival.
  for (let time = 0; time < 5; time += 1) {
    await untilItAnswers(reader)
    const [before, after] = [newToken(), newToken()]
    const [first, second] = [await record(before), await record(after)]
    // All of this waits at the server, which takes it in the order in which it came.
    world.redis.freeze()
    const written = [publisher.store.write(first)]
    await nextTurn()
    const asked = reader.askLog(before)
    for (let turn = 0; turn < 2; turn += 1) await nextTurn()
    const deleted = world.redis.admin.del(LOG_KEY)
    await nextTurn()
    written.push(other.store.openLog())
    await nextTurn()
    written.push(other.store.write(second))
    await nextTurn()
    world.redis.thaw()
    await Promise.all([...written, asked, deleted])
    expect(await reader.askLog(after)).not.toBe(false)
  }
})

/** Each takes the log from its readers for up to a second. */
const MOST_FAULTS = 200

it.each(Array.from({ length: size('faultSeeds') }, (_, n) => n + 1))(
  'no revocation is taken for none while Redis loses what it knows by chance (seed %i)',
  {
    timeout: 600_000,
  },
  async (seed) => {
    const random = seeded(seed)
    const { publisher, reader } = await followedLog(world)
    const publishers = [publisher, await world.publisher(world.redis.url)] as const
    const readers = [reader, await world.reader(world.redis.url)]
    let revoked = newToken()
    await publisher.revoke(revoked)
    const ended = [revoked]
    const answers = new Set<boolean | undefined>()
    let going = true
    const background = [
      ...publishers.map(async ({ keepWhole }) => {
        while (going) await keepWhole().catch(() => undefined)
      }),
      ...readers.map(async (each) => {
        while (going) {
          answers.add(await each.askLog(revoked))
          await nextTurn()
        }
      }),
    ]
    const rounds = size('revocations')
    const chance = Math.min(0.15, MOST_FAULTS / rounds)
    try {
      for (let round = 0; round < rounds; round += 1) {
        const token = newToken()
        const { revoke, redis } = random() < 0.5 ? publishers[0] : publishers[1]
        const isHarmed = random() < chance
        if (isHarmed) for (const each of readers) await untilItAnswers(each)
        const harmed = isHarmed ? harm(world.redis, random) : undefined
        try {
          await revoke(token)
          revoked = token
          ended.push(token)
          for (const answer of await Promise.all(readers.map((each) => each.askLog(token))))
            answers.add(answer)
        } catch (error) {
          expect(error).toMatchObject({ status: 503 })
          await expect.poll(() => redis.status, SOON).toBe('ready')
        }
        await harmed
      }
    } finally {
      going = false
      await Promise.all(background)
    }
    expect(answers).not.toContain(false)
    expect(answers).toContain(true)
    for (const each of publishers) await each.untilWhole()
    for (const each of readers) {
      await untilItAnswers(each)
      for (const token of ended) expect(await each.askLog(token)).toBe(true)
    }
  },
)

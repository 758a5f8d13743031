import { setImmediate as nextTurn } from 'node:timers/promises'
import { LOG_KEY } from '@signet/revocation-reader/endings'
import type { TestDatabase } from '@signet/testing/postgres-fixture'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { seeded } from '@signet/testing/seeded'
import { size } from '@signet/testing/sizes'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  askedUntilLogAnswers,
  createReaderDatabase,
  endOf,
  newToken,
  type ReaderEnvironment,
  SOON,
  startReaderEnvironment,
  untilLogAnswers,
  untilSetAnswers,
} from './fixtures/reader-environment.ts'

/** Losses of data that Redis does not report to its clients. */
const FAULTS: readonly ((redis: RedisProcess) => Promise<unknown>)[] = [
  ({ admin }) => admin.flushall(),
  ({ admin }) => admin.del(LOG_KEY),
  ({ admin }) => admin.xtrim(LOG_KEY, 'MAXLEN', 1),
  // The snapshot that it loads at the next start.
  ({ admin }) => admin.save(),
  (redis) => redis.restart(),
]

/** Does one of them to a server. */
async function harm(redis: RedisProcess, random: () => number): Promise<void> {
  await FAULTS[Math.floor(random() * FAULTS.length)]?.(redis)
}

let database: TestDatabase
let environment: ReaderEnvironment
beforeAll(async () => {
  database = await createReaderDatabase()
})
afterAll(() => database?.drop())
beforeEach(async () => {
  environment = await startReaderEnvironment(database)
})
afterEach(() => environment.stop())

it.each([
  ['a flush', () => environment.redis.admin.flushall()],
  ['the deletion of the log', () => environment.redis.admin.del(LOG_KEY)],
])('is used again after %s once the log is opened, without a load', async (_, lose) => {
  const { writer, reader } = await environment.following()
  await untilSetAnswers(reader)
  const [known, unknown, later] = [newToken(), newToken(), newToken()]
  await writer.end([endOf(known)])
  expect(await reader.askLog(known)).toBe(true)
  await writer.end([endOf(unknown)])
  await lose()
  await environment.record([endOf(later)])
  await expect(writer.append([endOf(later)])).rejects.toThrow('there is no log')
  for (const token of [later, unknown, known]) expect(await reader.askLog(token)).toBeUndefined()
  for (const token of [later, unknown, known]) expect(await reader.isEnded(token)).toBe(true)
  await writer.openLog()
  for (const token of [later, unknown, known]) {
    expect(await askedUntilLogAnswers(reader, token)).not.toContain(false)
    expect(await reader.askLog(token)).toBe(true)
  }
  expect(await reader.askLog(newToken())).toBe(false)
  await untilSetAnswers(reader)
  expect(reader.statements('revocation.load')).toBe(1)
})

it('does not trust a server that starts from a snapshot older than an ending', async () => {
  const { writer, reader } = await environment.following()
  await environment.redis.admin.save()
  const token = newToken()
  await writer.end([endOf(token)])
  await environment.redis.restart()
  expect(await environment.redis.admin.xlen(LOG_KEY)).toBe(1)
  const late = await environment.reader()
  const answers = new Set<boolean | undefined>()
  await expect
    .poll(async () => {
      for (const each of [reader, late]) {
        answers.add(await each.askLog(token))
        answers.add(await each.isEnded(token))
      }
      return [reader.redis.status, writer.redis.status]
    }, SOON)
    .toEqual(['ready', 'ready'])
  const second = newToken()
  await writer.end([endOf(second)])
  for (const each of [reader, late]) {
    await untilLogAnswers(each)
    for (const ended of [token, second]) answers.add(await each.askLog(ended))
  }
  expect(answers).not.toContain(false)
})

it('does not trust a server that was a replica of another meanwhile', async () => {
  const { writer, reader } = await environment.following()
  await untilSetAnswers(reader)
  const token = newToken()
  const other = await startRedisProcess()
  try {
    await other.admin.replicaof('127.0.0.1', environment.redis.port)
    await expect.poll(() => other.admin.exists(LOG_KEY), SOON).toBe(1)
    await other.admin.replicaof('NO', 'ONE')
    await writer.end([endOf(token)])
    await environment.redis.admin.replicaof('127.0.0.1', other.port)
    await expect
      .poll(() => environment.redis.admin.info('replication'), SOON)
      .toContain('master_link_status:up')
    await environment.redis.admin.replicaof('NO', 'ONE')
    expect(await environment.redis.admin.xlen(LOG_KEY)).toBe(1)
    await reader.poll()
    expect(await reader.isEnded(token)).toBe(true)
    const late = await environment.reader()
    expect(await late.isEnded(token)).toBe(true)
    expect(await askedUntilLogAnswers(late, token)).not.toContain(false)
    expect(reader.statements('revocation.load')).toBe(1)
  } finally {
    await other.drop()
  }
})

it('does not take a log that was deleted and opened within a millisecond for the one before', async () => {
  const { writer, reader } = await environment.following()
  const other = await environment.writer()
  // One time is enough for nearly every order of arrival.
  for (let time = 0; time < 5; time += 1) {
    await untilLogAnswers(reader)
    const [before, after] = [newToken(), newToken()]
    for (const token of [before, after]) await environment.record([endOf(token)])
    // All of this waits at the server, which takes it in the order in which it came.
    environment.redis.freeze()
    const sent: Promise<unknown>[] = [writer.append([endOf(before)])]
    await nextTurn()
    sent.push(reader.askLog(before))
    for (let turn = 0; turn < 2; turn += 1) await nextTurn()
    sent.push(environment.redis.admin.del(LOG_KEY))
    await nextTurn()
    sent.push(other.openLog())
    await nextTurn()
    sent.push(other.append([endOf(after)]))
    await nextTurn()
    environment.redis.thaw()
    await Promise.allSettled(sent)
    expect(await reader.askLog(after)).not.toBe(false)
  }
})

/** Each takes the log from its readers for up to a second. */
const MOST_FAULTS = 200

it.each(Array.from({ length: size('faultSeeds') }, (_, n) => n + 1))(
  'never reports an ended token as active while Redis loses data at random (seed %i)',
  { timeout: 600_000 },
  async (seed) => {
    const random = seeded(seed)
    const { writer, reader } = await environment.following()
    const writers = [writer, await environment.writer()] as const
    const readers = [reader, await environment.reader()]
    let newest = newToken()
    await writer.end([endOf(newest)])
    const ended = [newest]
    const answers = new Set<boolean | undefined>()
    let going = true
    const background = [
      ...writers.map(async ({ redis, openLog }) => {
        while (going) {
          if (redis.status === 'ready') await openLog().catch(() => undefined)
          await nextTurn()
        }
      }),
      ...readers.map(async (each) => {
        while (going) {
          answers.add(await each.askLog(newest))
          await nextTurn()
        }
      }),
    ]
    const rounds = size('revocations')
    const chance = Math.min(0.15, MOST_FAULTS / rounds)
    try {
      for (let round = 0; round < rounds; round += 1) {
        const token = newToken()
        const { end, redis } = random() < 0.5 ? writers[0] : writers[1]
        const isHarmed = random() < chance
        if (isHarmed) for (const each of readers) await untilLogAnswers(each)
        const harmed = isHarmed ? harm(environment.redis, random) : undefined
        const isPublished = await end([endOf(token)]).then(
          () => true,
          () => false,
        )
        if (isPublished) {
          newest = token
          ended.push(token)
          for (const answer of await Promise.all(readers.map((each) => each.askLog(token))))
            answers.add(answer)
        } else await expect.poll(() => redis.status, SOON).toBe('ready')
        await harmed
      }
    } finally {
      going = false
      await Promise.all(background)
    }
    expect(answers).not.toContain(false)
    expect(answers).toContain(true)
    await writer.openLog()
    for (const each of readers) {
      await untilLogAnswers(each)
      for (const token of ended) expect(await each.askLog(token)).toBe(true)
    }
  },
)

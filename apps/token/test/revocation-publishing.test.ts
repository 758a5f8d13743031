import { randomBytes, randomUUID } from 'node:crypto'
import { silentLogger } from '@signet/platform/logger/logger'
import type { Redis } from '@signet/platform/redis/connection'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { ENDING_SECONDS, type Ending, LOG_KEY, readProvenEntry } from '@signet/revocation-reader/endings'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createDisabledLog,
  createEndingsLog,
  createLogRepair,
  createPublishEndings,
  type EndingsLog,
} from '../src/revocation/revocation-log-writer.ts'
import {
  endOf,
  newToken,
  type ReaderEnvironment,
  startReaderEnvironment,
} from './fixtures/reader-environment.ts'

const NOW = new Date('2027-02-03T04:05:06Z')
const OPTIONS = { generation: () => 7, key: randomBytes(32), now: () => NOW, random: randomBytes }

let environment: ReaderEnvironment
let redis: Redis
let log: EndingsLog
beforeAll(async () => {
  environment = await startReaderEnvironment()
  redis = (await environment.writer()).redis
})
beforeEach(async () => {
  await redis.flushall()
  log = createEndingsLog({ ...OPTIONS, redis })
})
afterAll(() => environment?.stop())

const ending = (id: string = randomUUID()): Ending => ({ kind: 'g', id, value: 1, secondsLeft: 100 })
const entries = async () =>
  (await redis.xrange(LOG_KEY, '-', '+')).map(([, fields]) => readProvenEntry(fields, OPTIONS.key))
const idsInLog = async () => (await entries()).flatMap((entry) => entry?.endings.map(({ id }) => id) ?? [])

describe('append', () => {
  it('opens a missing log before the first entry', async () => {
    await log.append([ending('one')])
    expect(await entries()).toEqual([
      { generation: 7, madeAt: NOW.getTime(), endings: [] },
      { generation: 7, madeAt: NOW.getTime(), endings: [ending('one')] },
    ])
  })

  it('begins the log with a random id, also after a flush', async () => {
    const ids = new Set<string>()
    for (let round = 0; round < 3; round += 1) {
      await redis.flushall()
      await log.append([ending()])
      const [first] = await redis.xrange(LOG_KEY, '-', '+', 'COUNT', 1)
      ids.add(first?.[0].split('-')[1] ?? '')
    }
    expect(ids.size).toBe(3)
    for (const id of ids) expect(Number(id)).toBeGreaterThan(100)
  })

  it('writes up to 1,000 endings in one entry', async () => {
    await log.append(Array.from({ length: 1_000 }, () => ending()))
    await log.append(Array.from({ length: 2_001 }, () => ending()))
    const sizes = (await entries()).map((entry) => entry?.endings.length)
    expect(sizes.toSorted()).toEqual([0, 1, 1_000, 1_000, 1_000])
  })

  it('writes an ending without expiry without seconds left', async () => {
    await log.append([{ kind: 'k', id: 'key', value: 1, secondsLeft: Number.POSITIVE_INFINITY }])
    expect((await entries()).at(-1)?.endings).toEqual([
      { kind: 'k', id: 'key', value: 1, secondsLeft: Number.POSITIVE_INFINITY },
    ])
  })

  it('appends the endings of a repeated call again, and trims nothing', async () => {
    const tight = createEndingsLog({ ...OPTIONS, redis, keptMs: 0 })
    await log.append([ending('twice')])
    await tight.append([ending('twice')])
    expect(await idsInLog()).toEqual(['twice', 'twice'])
  })
})

describe('publishEndings', () => {
  it('rejects as unavailable when Redis does not acknowledge the entry', async () => {
    await redis.set(LOG_KEY, 'no stream')
    const publishing = createPublishEndings(log)([ending()])
    await expect(publishing).rejects.toThrow(TemporarilyUnavailableError)
    await redis.del(LOG_KEY)
    await createPublishEndings(log)([ending('repeated')])
    expect(await idsInLog()).toEqual(['repeated'])
  })
})

describe('maintain', () => {
  it('appends an anchor only when the newest entry is older than the idle time', async () => {
    for (let round = 0; round < 3; round += 1) await log.maintain()
    expect(await entries()).toEqual([{ generation: 7, madeAt: NOW.getTime(), endings: [] }])
    const impatient = createEndingsLog({ ...OPTIONS, redis, idleMs: -1 })
    await impatient.maintain()
    expect(await entries()).toEqual([
      { generation: 7, madeAt: NOW.getTime(), endings: [] },
      { generation: 7, madeAt: NOW.getTime(), endings: [] },
    ])
  })

  it('trims entries that are older than the newest by the kept time', async () => {
    const now = Date.now()
    // XTRIM with ~ removes whole nodes of 100 entries.
    for (let n = 0; n < 300; n += 1) await redis.xadd(LOG_KEY, `${now - 26 * 3_600_000 + n}-0`, 'old', n)
    await log.append([ending('new')])
    await log.maintain()
    expect(await redis.xlen(LOG_KEY)).toBeLessThan(110)
    expect((await idsInLog()).at(-1)).toBe('new')
  })

  it('trims the oldest entries beyond the most that the log may hold', async () => {
    for (let n = 0; n < 400; n += 1) await log.append([ending(`entry-${n}`)])
    await createEndingsLog({ ...OPTIONS, redis, mostEntries: 100 }).maintain()
    // XTRIM with ~ removes whole nodes of 100 entries.
    expect(await redis.xlen(LOG_KEY)).toBeLessThan(201)
    expect((await idsInLog()).at(-1)).toBe('entry-399')
  })

  it('trims by the time of the newest entry, so that a clock set back trims no more', async () => {
    const ahead = Date.now() + 30 * 3_600_000
    for (let n = 0; n < 300; n += 1) await redis.xadd(LOG_KEY, `${ahead - 24 * 3_600_000 + n}-0`, 'kept', n)
    await log.maintain()
    expect(await redis.xlen(LOG_KEY)).toBe(300)
  })

  it('is opened once by replicas that begin at the same time', async () => {
    const others = await Promise.all([environment.writer(), environment.writer(), environment.writer()])
    const logs = others.map((other) => createEndingsLog({ ...OPTIONS, redis: other.redis }))
    await Promise.all(logs.map((one) => one.maintain()))
    expect(await redis.xlen(LOG_KEY)).toBe(1)
  })
})

it('appends nothing with the log off and deletes an existing log', async () => {
  await log.append([ending()])
  const disabled = createDisabledLog(redis)
  await disabled.append([ending()])
  await disabled.maintain()
  expect(await redis.exists(LOG_KEY)).toBe(0)
})

describe('repair', () => {
  /** Starts a repair with a clock of its own. */
  function startRepair(target: Pick<EndingsLog, 'append'> = log) {
    let time = 0
    const repair = createLogRepair({ log: target, elapsed: () => time, logger: silentLogger })
    return { ...repair, pass: (ms: number) => (time += ms) }
  }

  it('appends the endings of a call that stopped before its XADD, one second after the poll', async () => {
    const repair = startRepair()
    const reader = await environment.reader({ observer: repair.observer })
    await reader.poll()
    const token = newToken()
    await environment.record([endOf(token)])
    await reader.poll()
    repair.pass(999)
    await repair.round()
    expect(await idsInLog()).toEqual([])
    repair.pass(1)
    await repair.round()
    expect(await idsInLog()).toEqual([token.tokenId])
    await repair.round()
    expect(await idsInLog()).toHaveLength(1)
  })

  it('does not append endings that an entry has with the same or a higher value', async () => {
    const repair = startRepair()
    const epoch = (id: string, value: number): Ending => ({ ...ending(id), kind: 'u', value })
    repair.observer.logged([epoch('before', 3)])
    repair.observer.polled([epoch('before', 3), epoch('after', 2), epoch('risen', 5)])
    repair.observer.logged([epoch('after', 2), epoch('risen', 4)])
    repair.pass(1_000)
    await repair.round()
    expect(await idsInLog()).toEqual(['risen'])
  })

  it('repeats entries that Redis did not accept', async () => {
    const repair = startRepair()
    repair.observer.polled([ending('late')])
    repair.pass(1_000)
    await redis.set(LOG_KEY, 'no stream')
    await expect(repair.round()).rejects.toThrow('WRONGTYPE')
    await redis.del(LOG_KEY)
    await repair.round()
    expect(await idsInLog()).toEqual(['late'])
  })

  it('appends at most 10 entries in a round', async () => {
    const appended: number[] = []
    const append = async (endings: readonly Ending[]) => void appended.push(endings.length)
    const repair = startRepair({ append })
    repair.observer.polled(Array.from({ length: 50_000 }, () => ending()))
    repair.pass(1_000)
    await repair.round()
    expect(appended).toEqual([10_000])
  })
})

describe('readers', () => {
  it('report published endings at once, from the log and after its loss', async () => {
    await log.maintain()
    const reader = await environment.reader()
    await expect.poll(() => reader.askLog(newToken())).toBe(false)
    const token = newToken()
    await environment.record([endOf(token)])
    await log.append([endOf(token)])
    expect(await reader.askLog(token)).toBe(true)
    await redis.flushall()
    expect(await reader.isEnded(token)).toBe(true)
    const late = newToken()
    await environment.record([{ ...endOf(late), secondsLeft: ENDING_SECONDS }])
    await log.append([endOf(late)])
    expect(await reader.isEnded(late)).toBe(true)
  })
})

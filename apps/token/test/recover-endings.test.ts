import { randomBytes } from 'node:crypto'
import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import { StartFailure } from '@signet/platform/process/service'
import { createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { ENDING_SECONDS, type Ending, entryFields, LOG_KEY } from '@signet/revocation-reader/endings'
import { createTestRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { newOpaqueIdentifier } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { NewGrant } from '../src/grant-store.ts'
import { LostEndingStore, openGeneration } from '../src/revocation/recovery.repository.ts'
import { createRecoverEndings, MOST_LOST_ENDINGS, recoveryOnRequest } from '../src/revocation/recovery.ts'
import { readLogKey } from '../src/revocation/revocation-log-writer.ts'
import {
  type GrantEnvironment,
  rotationOf,
  startGrantEnvironment,
  WINDOWS,
} from './fixtures/grant-environment.ts'

const GENERATION = 1_764_000_000

let environment: GrantEnvironment
let testRedis: TestRedis
let redis: Redis
let key: Buffer
beforeAll(async () => {
  environment = await startGrantEnvironment()
  testRedis = await createTestRedis()
  redis = createRedis({ url: testRedis.url, name: 'test' })
  await redis.connect()
  await environment.sql('UPDATE grants.generation SET value = $1', [GENERATION])
  key = await readLogKey(environment.database)
})
afterAll(async () => {
  redis?.disconnect()
  await testRedis?.drop()
  await environment?.stop()
})
beforeEach(async () => {
  await redis.del(LOG_KEY)
})

const ending = (kind: Ending['kind'], id: string, value = 1): Ending => ({
  kind,
  id,
  value,
  secondsLeft: kind === 'k' ? Number.POSITIVE_INFINITY : ENDING_SECONDS,
})
const append = (endings: readonly Ending[], generation = GENERATION) =>
  redis.xadd(LOG_KEY, '*', ...entryFields(endings, generation, key, new Date()))
const newId = () => newOpaqueIdentifier(randomBytes)

/** Runs the recovery of a replica's start; returns how many endings it recovered. */
async function recover(logger: Pick<Logger, 'warn'> = silentLogger): Promise<number> {
  let recovered = 0
  const generation = await openGeneration(environment.database)
  const store = new LostEndingStore(environment.database)
  const count = (number: number) => {
    recovered += number
  }
  await createRecoverEndings({ redis, key, store, generation, logger, now: () => new Date(), count })()
  return recovered
}

async function redeemed(overrides: Partial<NewGrant> = {}): Promise<NewGrant & { readonly sid: string }> {
  const { grant, redemption } = environment.newGrant({ generation: GENERATION, ...overrides })
  expect(await environment.replica().grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
  return grant
}
const isAlive = async (grant: NewGrant) =>
  (await environment.replica().grants.rotate(rotationOf(grant, 0), WINDOWS)).outcome === 'rotated'
const published = (ids: readonly string[]) =>
  environment.sql('SELECT kind, id, value FROM grants_read.revocation_v1 WHERE id = ANY ($1) ORDER BY kind', [
    ids,
  ])

describe('endings that the log has and PostgreSQL lacks', () => {
  it('are written again, each once by any number of replicas', async () => {
    const [user, key, token] = [newId(), newId(), newId()]
    await append([ending('u', user, 7), ending('k', key)])
    await append([ending('t', token), ending('u', user, 5)])
    const counts = await Promise.all([recover(), recover(), recover()])
    // Of both values of the user the higher one is recorded.
    expect(counts.reduce((sum, count) => sum + count)).toBe(3)
    expect(await published([user, key, token])).toEqual([
      { kind: 'k', id: key, value: 1 },
      { kind: 't', id: token, value: 1 },
      { kind: 'u', id: user, value: 7 },
    ])
    expect(await recover()).toBe(0)
  })

  it('are written for as long as the log says', async () => {
    const token = newId()
    await append([{ ...ending('t', token), secondsLeft: 300 }])
    await recover()
    const [row] = await environment.sql(
      `SELECT extract(epoch FROM until - clock_timestamp())::integer AS left, day = floor(extract(epoch FROM until) / 86400) AS by_end
         FROM grants.revocation WHERE id = $1`,
      [token],
    )
    expect(row?.by_end).toBe(true)
    expect(Number(row?.left)).toBeGreaterThan(290)
    expect(Number(row?.left)).toBeLessThanOrEqual(300)
  })

  it('end refresh families and sessions', async () => {
    const [ended, ofSession, keeping, other] = [
      await redeemed(),
      await redeemed(),
      await redeemed({ clientId: 'keeping', client: { id: 'keeping', epoch: 0 } }),
      await redeemed(),
    ]
    await append([ending('g', ended.grantId), ending('s', ofSession.sid), ending('s', keeping.sid)])
    expect(await recover()).toBe(3)
    const alive = await Promise.all([ended, ofSession, keeping, other].map(isAlive))
    expect(alive).toEqual([false, false, true, true])
    const sids = [ofSession.sid, keeping.sid].sort()
    const month = (new Date().getUTCFullYear() - 1970) * 12 + new Date().getUTCMonth()
    expect(
      await environment.sql('SELECT month, sid FROM grants.ended_session WHERE sid = ANY ($1) ORDER BY sid', [
        sids,
      ]),
    ).toEqual(sids.map((sid) => ({ month, sid })))
  })

  it.each(['t', 'p', 'g', 's'] as const)(
    'of kind %s revoke tokens that were exchanged for them',
    async (kind) => {
      const grant = await redeemed()
      const id = newId()
      await environment.sql(
        `INSERT INTO grants.grant_origin (end_week, grant_id, kind, id)
       SELECT end_week, grant_id, $2, $3 FROM grants.authorization_grant WHERE grant_id = $1`,
        [grant.grantId, kind, id],
      )
      await environment.sql(
        `INSERT INTO grants.week_index (kind, id, relation, end_week)
       SELECT kind, id, 'grant_origin', end_week FROM grants.grant_origin WHERE id = $1`,
        [id],
      )
      await append([ending(kind, id)])
      await recover()
      expect(await isAlive(grant)).toBe(false)
    },
  )

  it('of a lower generation are not written, since their tokens are refused anyway', async () => {
    const user = newId()
    await append([ending('u', user, 3)], GENERATION - 1)
    expect(await recover()).toBe(0)
    expect(await published([user])).toEqual([])
  })
})

describe('a database that was restored without the command', () => {
  it('is refused when the log has a higher generation', async () => {
    const user = newId()
    await append([ending('u', user, 3)])
    await append([], GENERATION + 1)
    await expect(recover()).rejects.toThrow(/run `signet-migrate restored`/)
    expect(await published([user])).toEqual([])
  })

  it('is refused when it lacks more endings than a fail-over loses, and writes nothing', async () => {
    const ids = Array.from({ length: MOST_LOST_ENDINGS + 1 }, newId)
    await append(ids.slice(1).map((id) => ending('u', id)))
    expect(await new LostEndingStore(environment.database).lacking([ending('u', ids[0] ?? '')])).toHaveLength(
      1,
    )
    await append(ids.slice(0, 1).map((id) => ending('u', id)))
    await expect(recover()).rejects.toBeInstanceOf(StartFailure)
    expect(await published(ids)).toEqual([])
    // One fewer is a fail-over.
    await redis.del(LOG_KEY)
    await append(ids.slice(1).map((id) => ending('u', id)))
    expect(await recover()).toBe(MOST_LOST_ENDINGS)
  })
})

it('recovers any number of access tokens, which one client can revoke by itself', async () => {
  await redis.del(LOG_KEY)
  const ids = Array.from({ length: MOST_LOST_ENDINGS + 1 }, newId)
  await append(ids.map((id) => ending('t', id)))
  expect(await recover()).toBe(ids.length)
})

describe('a recovery on request', () => {
  it('runs until it succeeds or is refused, and again on the next request', async () => {
    const outcomes: (Error | undefined)[] = [new Error('away'), new StartFailure('restored'), undefined]
    let runs = 0
    const recovery = recoveryOnRequest(async () => {
      runs += 1
      const outcome = outcomes.shift()
      if (outcome) throw outcome
    })
    await recovery.round()
    expect(runs).toBe(0)
    recovery.request()
    await expect(recovery.round()).rejects.toThrow('away')
    expect(recovery.isRefused()).toBe(false)
    await expect(recovery.round()).rejects.toThrow('restored')
    expect(recovery.isRefused()).toBe(true)
    await recovery.round()
    expect([runs, recovery.isRefused()]).toEqual([2, true])
    recovery.request()
    await recovery.round()
    await recovery.round()
    expect([runs, recovery.isRefused()]).toEqual([3, false])
  })
})

describe('entries that token did not write', () => {
  const forgedFields = (endings: readonly Ending[], generation = GENERATION) =>
    entryFields(endings, generation, randomBytes(32), new Date())

  it('are counted in one log line and recover nothing', async () => {
    const [user, genuine] = [newId(), newId()]
    await append([ending('u', genuine)])
    const fields = await redis.xrange(LOG_KEY, '-', '+').then(([entry]) => entry?.[1] ?? [])
    const renamed = fields.map((text) => text.replace(genuine, user))
    const older = fields.map((text, n) => (n === 3 ? `${Number(text) + 1}` : text))
    for (const forged of [
      forgedFields([ending('u', user)]),
      renamed,
      older,
      fields.slice(0, 6),
      ['a', 'b'],
    ]) {
      await redis.xadd(LOG_KEY, '*', ...forged)
    }
    const lines: unknown[] = []
    expect(await recover({ warn: (...line) => lines.push(line) })).toBe(1)
    expect(lines).toContainEqual(['log_entries_with_invalid_mac', { count: 5 }])
    expect(await published([user, genuine])).toEqual([{ kind: 'u', id: genuine, value: 1 }])
  })

  it('refuse no start by a higher generation', async () => {
    await redis.xadd(LOG_KEY, '*', ...forgedFields([], GENERATION + 1))
    const [fields] = [entryFields([], GENERATION, key, new Date())]
    await redis.xadd(LOG_KEY, '*', ...fields.map((text, n) => (n === 1 ? `${GENERATION + 1}` : text)))
    expect(await recover()).toBe(0)
  })

  it('refuse no start by more endings than a fail-over loses', async () => {
    const endings = Array.from({ length: MOST_LOST_ENDINGS + 1 }, () => ending('u', newId()))
    await redis.xadd(LOG_KEY, '*', ...forgedFields(endings))
    expect(await recover()).toBe(0)
  })
})

describe('an entry of token that was added again under a new id', () => {
  const added = (token: string, hoursAgo: number) =>
    redis.xadd(
      LOG_KEY,
      '*',
      ...entryFields([ending('t', token)], GENERATION, key, new Date(Date.now() - hoursAgo * 3_600_000)),
    )

  it('is written for as long as was left at first', async () => {
    const token = newId()
    await added(token, 20)
    expect(await recover()).toBe(1)
    const [row] = await environment.sql(
      'SELECT extract(epoch FROM until - clock_timestamp())::integer AS left FROM grants.revocation WHERE id = $1',
      [token],
    )
    expect(Number(row?.left)).toBeLessThanOrEqual(ENDING_SECONDS - 20 * 3_600)
    expect(Number(row?.left)).toBeGreaterThan(ENDING_SECONDS - 20 * 3_600 - 60)
  })

  it('is not written after its end', async () => {
    await added(newId(), 25)
    expect(await recover()).toBe(0)
  })
})

import { CHECKS_IN_POSTGRES_AT_ONCE } from '@signet/revocation-reader/bounded-checks'
import { silentLogger } from '@signet/service-runtime/logger'
import { type RedisProcess, startRedisProcess } from '@signet/testkit/redis-process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepMirrorWhole } from '../src/revocation/keep-mirror-whole.ts'
import { createWithdrawnMirrorStore } from '../src/stores/withdrawn-mirror-store.ts'
import { newToken, type RevocationWorld, startRevocationWorld } from './fixtures/revocation-world.ts'

const SOON = { timeout: 10_000 }

let world: RevocationWorld
let redis: RedisProcess

beforeEach(async () => {
  redis = await startRedisProcess()
  world = await startRevocationWorld()
})

afterEach(async () => {
  await world.stop()
  await redis.drop()
})

it('beyond the bound on checks in PostgreSQL a check is refused, never answered "not ended"', async () => {
  const reader = await world.reader(redis.url)
  await reader.isEnded(newToken())
  const extra = 20
  const refusals: unknown[] = []
  const checks = await world.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'LOCK TABLE grants.revocation IN ACCESS EXCLUSIVE MODE' })
    const asked = Array.from({ length: CHECKS_IN_POSTGRES_AT_ONCE + extra }, async () =>
      reader.isEnded(newToken()).catch((error: unknown) => void refusals.push(error)),
    )
    await expect.poll(() => refusals.length, SOON).toBe(extra)
    return asked
  })
  const answers = await Promise.all(checks)
  expect(answers.filter((answer) => answer === false)).toHaveLength(CHECKS_IN_POSTGRES_AT_ONCE)
  expect(refusals).toHaveLength(extra)
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ status: 503, reason: 'revocation_checks_exhausted' })
  expect(await reader.isEnded(newToken())).toBe(false)
})

it('when neither Redis nor PostgreSQL can answer, a check is refused', async () => {
  const reader = await world.reader(redis.url)
  await redis.kill()
  await world.database.query({ name: '', text: 'DROP VIEW grants_read.revocation_v1' })
  await expect(reader.isEnded(newToken())).rejects.toMatchObject({
    status: 503,
    reason: 'revocation_check_failed',
  })
})

it('an outage is reported once and its end once, however many checks there were', async () => {
  const publisher = await world.publisher(redis.url)
  await publisher.untilWhole()
  const reader = await world.reader(redis.url)
  const fromMirror = async () => {
    const before = reader.checksInPostgres()
    await reader.isEnded(newToken())
    return reader.checksInPostgres() === before
  }
  await expect.poll(fromMirror, SOON).toBe(true)
  redis.freeze()
  const checks = Array.from({ length: 50 }, () => reader.isEnded(newToken()))
  await expect.poll(() => reader.reports, { ...SOON, interval: 5 }).not.toEqual([])
  // At once: what else is being asked of Redis is given up after 2 s, which would be reported, too.
  redis.thaw()
  await Promise.all(checks)
  await expect.poll(fromMirror, SOON).toBe(true)
  expect(reader.reports).toEqual(['Redis was silent for 100 ms; PostgreSQL answers', 'recovered'])
})

it('a risen epoch is recent again, so that a deposed primary does not hide it', async () => {
  const record = (value: number) =>
    world.database.transaction((tx) =>
      world.revocations.record(tx, [{ kind: 'o', id: 'organization', value }], new Date()),
    )
  await record(2)
  await world.database.query({
    name: '',
    text: `UPDATE grants.revocation SET revoked_at = revoked_at - interval '1 hour'`,
  })
  await record(2)
  const revokedAgoMs = async () => {
    const { rows } = await world.database.query<{ ms: number }>({
      name: '',
      text: 'SELECT (extract(epoch FROM clock_timestamp() - revoked_at) * 1000)::float8 AS ms FROM grants.revocation',
    })
    return rows[0]?.ms
  }
  expect(await revokedAgoMs()).toBeGreaterThan(3_000_000)
  await record(3)
  expect(await revokedAgoMs()).toBeLessThan(60_000)
})

it('the poll for recent revocations uses the index on their time', async () => {
  const plan = await world.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SET LOCAL enable_seqscan = off' })
    return tx.query<{ 'QUERY PLAN': string }>({
      name: '',
      text: `EXPLAIN SELECT kind, id, value, revoked_at FROM grants_read.revocation_v1
              WHERE revoked_at > clock_timestamp() - interval '10 seconds' ORDER BY revoked_at DESC LIMIT 20000`,
    })
  })
  expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan .*revoked_at_idx/)
})

it('SIGNET_REVOCATION_MIRROR=off: every check is a query, and no earlier mirror is believed any more', async () => {
  const before = await world.publisher(redis.url)
  await before.untilWhole()
  const mirrored = await world.reader(redis.url)
  const token = newToken()
  await expect.poll(() => mirrored.askMirror(token), SOON).toBe(false)
  const withdrawn = createWithdrawnMirrorStore(before.redis)
  await keepMirrorWhole({ revocations: world.revocations, mirror: withdrawn, logger: silentLogger })
  expect(await mirrored.askMirror(token)).toBeUndefined()
  const reader = await world.reader(redis.url, { mirror: false })
  await redis.kill()
  expect(await reader.isEnded(token)).toBe(false)
  await world.database.transaction((tx) =>
    world.revocations.record(
      tx,
      [{ kind: 't', id: token.tokenId ?? '', value: 1, subject: token.subject }],
      new Date(),
    ),
  )
  expect(await reader.isEnded(token)).toBe(true)
  expect(reader.checksInPostgres()).toBe(2)
})

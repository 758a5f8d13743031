import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { type Ending, entryFields, LOG_KEY, personalTokenId } from '@signet/revocation-reader/endings'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { createTestRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { markRestored } from '../src/mark-restored.ts'

const APPS = [
  ['directory', 'directory', 'signet_directory'],
  ['token', 'grants', 'signet_token'],
  ['keys', 'keys', 'signet_keys'],
  ['migration', 'migration', 'signet_migration'],
  ['federation', 'federation', 'signet_federation'],
] as const
const MIGRATIONS = APPS.map(([app, schema, role]) => ({
  schema,
  role,
  folder: new URL(`../../${app}/migrations/`, import.meta.url),
  ...(app !== 'federation' && { hasAuditLog: true as const }),
}))

let server: TestDatabase
let testRedis: TestRedis
let redis: Redis
let admin: Database
beforeAll(async () => {
  server = await createTestDatabase({ migrations: MIGRATIONS })
  testRedis = await createTestRedis()
  redis = createRedis({ url: testRedis.url, name: 'test' })
  await redis.connect()
  admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 2 })
  await admin.transaction(async (tx) => {
    for (const text of ROWS) await tx.query({ name: '', text })
  })
})
afterAll(async () => {
  redis?.disconnect()
  await testRedis?.drop()
  await admin?.close()
  await server?.drop()
})

const KEY_DATES = `now() - interval '2 days', now() - interval '1 day', now() + interval '1 day',
  now() + interval '3 days', now() + interval '400 days'`
const ROWS = [
  `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('acme', 'ACME', 'acme.localhost')`,
  `INSERT INTO directory.organization_domain VALUES ('acme', 'acme.localhost', true)`,
  `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
   VALUES ('robot', 'acme', 'service_user', 'robot', 'robot', 'Robot')`,
  `INSERT INTO directory.service_user (user_id, client_id) VALUES ('robot', 'robot-client')`,
  `INSERT INTO directory.service_user_secret (user_id, hash) VALUES ('robot', 'sha256$x')`,
  `INSERT INTO directory.personal_access_token (user_id, token_id, token_hash)
   VALUES ('robot', 'ended', sha256('a')), ('robot', 'alive', sha256('b'))`,
  `INSERT INTO keys.ring_key (kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at, forget_at,
                              public_jwk, sealed_secret)
   VALUES ('signing-1', 'signing', 'ES256', 'active', ${KEY_DATES}, '{}', 'x'),
          ('seal-1', 'access-seal', 'A256GCM', 'active', ${KEY_DATES}, NULL, 'x')`,
  `INSERT INTO migration.job (job_id, kind, state, created_by, created_at, accepted_at, dispatched_at)
   VALUES ('job-1', 'import', 'running', 'robot', now(), now(), now())`,
  `INSERT INTO migration.worker (worker_id, seen_at) VALUES ('worker-1', now())`,
]

const NOW = new Date('2027-02-03T04:05:06Z')
const GENERATION = NOW.getTime() / 1000

async function run(options: { readonly dryRun?: boolean; readonly now?: Date } = {}) {
  const lines: string[] = []
  const env = {
    SIGNET_POSTGRES_DIRECT_URL: server.adminUrl.reveal(),
    SIGNET_REDIS_URL: testRedis.url.reveal(),
  }
  const print = (line: string) => void lines.push(line)
  await markRestored(env, { dryRun: false, now: NOW, print, ...options })
  return lines
}

async function state() {
  const { rows } = await admin.query({
    name: '',
    text: `SELECT (SELECT value FROM grants.generation) AS generation,
                  (SELECT string_agg(token_id, ' ') FROM directory.personal_access_token) AS tokens,
                  (SELECT string_agg(kid, ' ') FROM keys.ring_key WHERE retire_at > '${NOW.toISOString()}') AS keys,
                  (SELECT count(*) FROM keys.ring_key) AS all_keys,
                  (SELECT string_agg(kid, ' ') FROM grants.revoked_key) AS revoked_keys,
                  (SELECT count(*) FROM migration.worker) AS workers,
                  (SELECT dispatched_at IS NULL FROM migration.job) AS job_is_free,
                  (SELECT bool_and(xid < pg_snapshot_xmax(pg_current_snapshot())) FROM directory.change) AS feed_is_past`,
  })
  return rows[0]
}

const ending = (kind: Ending['kind'], id: string): Ending => ({ kind, id, value: 1, secondsLeft: 86_460 })

it('prints with --dry-run the planned changes and changes nothing', async () => {
  const endings = [ending('p', personalTokenId('robot', 'ended')), ending('k', 'seal-1'), ending('u', 'x')]
  const { rows } = await admin.query<{ key: Buffer }>({ name: '', text: 'SELECT key FROM grants.log_key' })
  await redis.xadd(LOG_KEY, '*', ...entryFields(endings, 0, rows[0]?.key ?? Buffer.of(), new Date()))
  const forged = [ending('p', personalTokenId('robot', 'alive')), ending('k', 'signing-1')]
  await redis.xadd(LOG_KEY, '*', ...entryFields(forged, 9_999_999_999, Buffer.alloc(32), new Date()))
  const before = await state()
  const lines = await run({ dryRun: true })
  expect(lines).toEqual(
    expect.arrayContaining([
      `generation: ${GENERATION}`,
      'sealing and MAC keys deleted: 1',
      'entries of the log that token did not write, ignored: 1',
      'nothing was changed',
    ]),
  )
  expect(await state()).toEqual(before)
})

it('raises the generation, retires keys, releases claims, records the endings of the log and lists live secrets', async () => {
  // As in a dump of a cluster that was further on.
  await admin.query({ name: '', text: `UPDATE directory.change SET xid = '900000000'` })
  const lines = await run()
  expect(lines).toContain(`generation: ${GENERATION}`)
  expect(lines).toContain('may have been revoked since the backup, and work again: 2')
  expect(lines.join('\n')).toMatch(/personal access token alive of robot in acme/)
  expect(lines.join('\n')).toMatch(/secret of a service user \d+ of robot in acme/)
  expect(await state()).toEqual({
    generation: GENERATION,
    tokens: 'alive',
    keys: null,
    all_keys: 1,
    revoked_keys: 'seal-1',
    workers: 0,
    job_is_free: true,
    feed_is_past: true,
  })
})

it('does the same when it runs again, and the generation only rises', async () => {
  const lines = await run({ now: new Date(NOW.getTime() - 3_600_000) })
  expect(lines).toContain(`generation: ${GENERATION + 1}`)
  expect(await state()).toMatchObject({ generation: GENERATION + 1, tokens: 'alive', all_keys: 1 })
})

it('refuses while a service is connected, and names it', async () => {
  const token = createPool({ url: server.url('signet_token'), applicationName: 'token', max: 1 })
  await token.query({ name: '', text: 'SELECT 1' })
  await expect(run()).rejects.toThrow(
    'stop these services first, for example by scaling them to zero: signet_token (1',
  )
  await token.close()
})

import { randomBytes } from 'node:crypto'
import { createPool } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../src/migrations.ts'
import { type RunningKeys, runKeys } from './fixtures/running-keys.ts'

const of = (app: string, schema: string, role: 'signet_directory' | 'signet_token') => ({
  schema,
  role,
  folder: new URL(`../../${app}/migrations/`, import.meta.url),
  hasAuditLog: true as const,
})
const MIGRATIONS = [
  of('directory', 'directory', 'signet_directory'),
  of('token', 'grants', 'signet_token'),
  migrations,
]

const opened = new AsyncDisposableStack()
let keys: RunningKeys
let sql: <R>(text: string, values?: readonly unknown[]) => Promise<readonly R[]>
const masterKeys = [randomBytes(32)]
beforeAll(async () => {
  const server = await createTestDatabase({ migrations: MIGRATIONS })
  opened.defer(() => server.drop())
  const admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 1 })
  opened.defer(() => admin.close())
  sql = async (text, values = []) => (await admin.query<never>({ name: '', text, values })).rows
  const database = createPool({ url: server.url('signet_keys'), applicationName: 'test', max: 4 })
  opened.defer(() => database.close())
  const shared = { server, connect: () => database, drop: async () => undefined }
  keys = await runKeys({ shared, masterKeys })
  opened.defer(() => keys.stop())
})
afterAll(() => opened.disposeAsync())

interface Line {
  readonly kid: string
  readonly state: string
}
const line = () =>
  sql<Line>(
    `SELECT kid, state FROM keys.ring_key WHERE ring = 'access-seal' AND revoked_at IS NULL ORDER BY active_at`,
  )

it('revokes a key that the token service has published as revoked, and lets the announced one take over', async () => {
  const [active, announced] = await line()
  await sql('INSERT INTO grants.revoked_key (kid) VALUES ($1)', [active?.kid])
  await expect
    .poll(async () => (await line())[0])
    .toEqual({
      kid: announced?.kid,
      state: 'active',
    })
  const [event] = await sql(
    `SELECT target_id, actor_kind FROM keys_read.audit_event_v1 WHERE action = 'key.revoke'`,
  )
  expect(event).toEqual({ target_id: active?.kid, actor_kind: 'service' })
  // The token service is notified of it as of every other revoked key, which is harmless.
  await expect.poll(() => keys.token.ended).toContain(active?.kid)
})

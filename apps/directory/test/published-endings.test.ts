import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFollowPublishedEndings } from '../src/epochs/epoch.repository.ts'
import { migrations } from '../src/migrations.ts'

const TOKEN_MIGRATIONS = {
  schema: 'grants',
  role: 'signet_token',
  folder: new URL('../../token/migrations/', import.meta.url),
  hasAuditLog: true,
} as const

let server: TestDatabase
let admin: Database
let directory: Database
beforeAll(async () => {
  server = await createTestDatabase({ migrations: [migrations, TOKEN_MIGRATIONS] })
  admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 2 })
  directory = createPool({ url: server.url('signet_directory'), applicationName: 'test', max: 2 })
  await sql(`CREATE TABLE grants.revocation_test PARTITION OF grants.revocation DEFAULT`)
  await admin.transaction(async (tx) => {
    for (const text of [
      `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('acme', 'ACME', 'acme.localhost')`,
      `INSERT INTO directory.organization_domain VALUES ('acme', 'acme.localhost', true)`,
      `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
       VALUES ('alice', 'acme', 'human', 'alice', 'alice', 'Alice'), ('robot', 'acme', 'service_user', 'robot', 'robot', 'R')`,
      `INSERT INTO directory.service_user (user_id, client_id) VALUES ('robot', 'robot-client')`,
      `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('portal', 'acme', 'Portal')`,
      `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method, response_types, grant_types)
       VALUES ('a1', 'web', 'portal', 'Web', 'web', 'none', '{code}', '{authorization_code}')`,
    ])
      await tx.query({ name: '', text })
  })
})
afterAll(async () => {
  await Promise.all([admin, directory].map((pool) => pool?.close()))
  await server?.drop()
})

const sql = async <R>(text: string, values: readonly unknown[] = []) =>
  (await admin.query<R>({ name: '', text, values })).rows

const END = `INSERT INTO grants.revocation (day, kind, id, value, until) VALUES (1, $1, $2, $3, now() + interval '86461 seconds')
  ON CONFLICT (day, kind, id) DO UPDATE SET value = excluded.value, xid = pg_current_xact_id()`

async function epochs() {
  const [row] = await sql<{ epochs: readonly number[] }>(
    `SELECT ARRAY[(SELECT token_epoch FROM directory_read.account_life_v1 WHERE user_id = 'alice'),
                  (SELECT token_epoch FROM directory_read.account_life_v1 WHERE user_id = 'robot'),
                  (SELECT token_epoch FROM directory_read.client_life_v1 WHERE client_id = 'web'),
                  (SELECT token_epoch FROM directory_read.organization_v1 WHERE organization_id = 'acme')]::int[] AS epochs`,
  )
  return row?.epochs
}

it('raises epochs that are lower than those published, and lowers none', async () => {
  const follow = createFollowPublishedEndings(directory)
  await sql(END, ['u', 'alice', 3])
  await sql(END, ['c', 'robot-client', 2])
  await sql(END, ['c', 'web', 4])
  await sql(END, ['o', 'acme', 1])
  await sql(END, ['u', 'unknown', 9])
  expect(await follow()).toBe(4)
  expect(await epochs()).toEqual([3, 2, 4, 1])
  await sql(`UPDATE directory.account SET token_epoch = 7 WHERE user_id = 'alice'`)
  expect(await createFollowPublishedEndings(directory)()).toBe(0)
  expect(await epochs()).toEqual([7, 2, 4, 1])
})

it('reads only rows that the last round did not see, and a late commit', async () => {
  const follow = createFollowPublishedEndings(directory)
  await follow()
  let commit = () => {}
  const committed = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written = () => {}
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const late = admin.transaction(async (tx) => {
    await tx.query({ name: '', text: END, values: ['u', 'robot', 5] })
    written()
    await committed
  })
  await isWritten
  // A later transaction commits first, so that the snapshot holds the late one as running.
  await sql('SELECT pg_current_xact_id()')
  expect(await follow()).toBe(0)
  commit()
  await late
  expect(await follow()).toBe(1)
  // A row that was seen is not read again: an epoch that goes back by hand stays.
  await sql('ALTER TABLE directory.account DISABLE TRIGGER USER')
  await sql(`UPDATE directory.account SET token_epoch = 0 WHERE user_id = 'robot'`)
  await sql('ALTER TABLE directory.account ENABLE TRIGGER USER')
  expect(await follow()).toBe(0)
})

it('deletes a personal access token that ended, and no other', async () => {
  const add = (id: string) =>
    sql(
      `INSERT INTO directory.personal_access_token (user_id, token_id, token_hash) VALUES ('robot', $1, sha256($2))`,
      [id, Buffer.from(id)],
    )
  await add('lost')
  await add('kept')
  await sql(END, ['p', 'robot lost', 1])
  await sql(END, ['p', 'alice kept', 1])
  await createFollowPublishedEndings(directory)()
  expect(await sql('SELECT token_id FROM directory_read.personal_access_token_v1')).toEqual([
    { token_id: 'kept' },
  ])
})

it('keeps a token that was made with the id of an ended one', async () => {
  await sql(
    `INSERT INTO directory.personal_access_token (user_id, token_id, token_hash, created_at)
     VALUES ('robot', 'again', sha256('again'), now() + interval '1 hour')`,
  )
  await sql(END, ['p', 'robot again', 1])
  await createFollowPublishedEndings(directory)()
  const again = () => sql("SELECT FROM directory_read.personal_access_token_v1 WHERE token_id = 'again'")
  expect(await again()).toHaveLength(1)
  await sql("DELETE FROM directory.personal_access_token WHERE token_id = 'again'")
})

it('keeps the last credential of the last IAM_OWNER', async () => {
  await sql(`INSERT INTO directory.member (level, user_id, role) VALUES ('instance', 'robot', 'IAM_OWNER')`)
  await sql(END, ['p', 'robot kept', 1])
  await sql(END, ['u', 'alice', 8])
  expect(await createFollowPublishedEndings(directory)()).toBe(1)
  expect(await sql('SELECT token_id FROM directory_read.personal_access_token_v1')).toEqual([
    { token_id: 'kept' },
  ])
  expect((await epochs())?.[0]).toBe(8)
})

it('follows rows of a promoted server that reuse transaction ids of lost ones', async () => {
  // A round on the lost primary, which had come further than the promoted one.
  const ahead = { snapshot: '4000000000:4000000000:' }
  let lost = true
  const follow = createFollowPublishedEndings({
    query: (statement) => directory.query(statement),
    transaction: (work, options) =>
      directory.transaction(async (tx) => {
        const found = await work(tx)
        if (lost) Object.assign((found as { rows: object[] }).rows[0] ?? {}, ahead)
        return found
      }, options),
  })
  await follow()
  lost = false
  await sql(END, ['u', 'robot', 50])
  expect((await follow()) + (await follow())).toBe(1)
  expect((await epochs())?.[1]).toBe(50)
})

it('reads the endings of a busy day in one round', async () => {
  // Beyond the time limit of other statements on a busy machine.
  const insert = {
    name: '',
    text: `INSERT INTO grants.revocation (day, kind, id, value, until)
           SELECT 2, CASE n % 2 WHEN 0 THEN 'u' ELSE 'p' END, 'unknown ' || n, 1, now() + interval '1 day'
             FROM generate_series(1, 300000) AS n`,
  }
  await admin.transaction((tx) => tx.query(insert), { kind: 'background' })
  expect(await createFollowPublishedEndings(directory)()).toBe(0)
}, 120_000)

import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '@signet/platform/postgres/migrate'
import { createPool } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { expect, it } from 'vitest'
import { migrations } from '../src/migrations.ts'

const DIRECTORY = {
  schema: 'directory',
  role: 'signet_directory',
  folder: new URL('../../directory/migrations/', import.meta.url),
  hasAuditLog: true,
} as const

/** The last migration of the version that mirrored revocations in Redis. */
const LAST_BEFORE = '0014_requested_audiences.sql'

const ROWS = [
  'CREATE TABLE grants.revocation_1 PARTITION OF grants.revocation FOR VALUES FROM (1) TO (2)',
  'CREATE TABLE grants.revocation_2 PARTITION OF grants.revocation FOR VALUES FROM (2) TO (3)',
  `INSERT INTO grants.revocation (day, kind, id, value, subject, revoked_at) VALUES
     (1, 'k', 'key', 1, NULL, now() - interval '300 days'),
     (1, 'u', 'alice', 4, 'alice', now() - interval '2 hours'),
     (2, 'u', 'alice', 5, 'alice', now() - interval '1 hour'),
     (1, 's', 'old', 1, 'alice', now() - interval '25 hours'),
     (1, 't', 'token', 1, 'alice', now()),
     (1, 't', 'p.a.b.c.d', 1, 'a.b', now())`,
  'CREATE TABLE grants.authorization_grant_1 PARTITION OF grants.authorization_grant FOR VALUES FROM (1) TO (5000)',
  'CREATE TABLE grants.grant_origin_1 PARTITION OF grants.grant_origin FOR VALUES FROM (1) TO (5000)',
  `INSERT INTO grants.authorization_grant (end_week, grant_id, client_id, client_epoch, client_organization_id,
     client_organization_epoch, user_id, user_epoch, user_organization_id, user_organization_epoch, scopes, amr,
     created_at, idle_end, absolute_end, origins)
   VALUES (3000, 'g', 'web', 0, 'acme', 0, 'a.b', 0, 'acme', 0, '{}', '{}', now(), now(), now(),
     '[{"subject":"a.b","tokenId":"p.a.b.c.d","organizations":[]},{"subject":"x","tokenId":"kept","organizations":[]}]')`,
  `INSERT INTO grants.grant_origin (end_week, grant_id, kind, id) VALUES
     (3000, 'g', 't', 'p.a.b.c.d'), (3000, 'g', 't', 'kept')`,
]

it('migrates live endings and names personal access tokens by their user and id', async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await temporaryFolder('old-migrations')
  for (const name of await readdir(migrations.folder)) {
    if (name <= LAST_BEFORE) await copyFile(new URL(name, migrations.folder), join(folder, name))
  }
  const { schema, role } = migrations
  const before = { schema, role, folder: pathToFileURL(`${folder}/`) }
  const testDatabase = await createTestDatabase({ migrations: [DIRECTORY, before] })
  opened.defer(() => testDatabase.drop())
  const admin = createPool({ url: testDatabase.adminUrl, applicationName: 'test', max: 1 })
  opened.defer(() => admin.close())
  const owner = createPool({ url: testDatabase.url('signet_token'), applicationName: 'test', max: 1 })
  opened.defer(() => owner.close())
  for (const text of ROWS) await owner.query({ name: '', text })
  expect(await migrate(admin, migrations)).not.toEqual([])

  const rows = async (text: string) => (await owner.query({ name: '', text })).rows
  expect(
    await rows(`SELECT kind, id, value, CASE WHEN isfinite(until) THEN
                       round(extract(epoch FROM until - now()) / 3600)::int END AS hours_left
                  FROM grants_read.revocation_v1 ORDER BY kind`),
  ).toEqual([
    { kind: 'k', id: 'key', value: 1, hours_left: null },
    { kind: 'p', id: 'a.b c.d', value: 1, hours_left: 24 },
    { kind: 't', id: 'token', value: 1, hours_left: 24 },
    { kind: 'u', id: 'alice', value: 5, hours_left: 23 },
  ])
  expect(await rows('SELECT kind, id FROM grants.grant_origin ORDER BY kind')).toEqual([
    { kind: 'p', id: 'a.b c.d' },
    { kind: 't', id: 'kept' },
  ])
  expect(await rows('SELECT origins FROM grants.authorization_grant')).toEqual([
    {
      origins: [
        { subject: 'a.b', personalTokenId: 'a.b c.d', organizations: [] },
        { subject: 'x', tokenId: 'kept', organizations: [] },
      ],
    },
  ])
  expect(await rows(`SELECT kind, id FROM grants.week_index WHERE kind IN ('p', 't') ORDER BY kind`)).toEqual(
    [
      { kind: 'p', id: 'a.b c.d' },
      { kind: 't', id: 'kept' },
    ],
  )
  expect(await rows('SELECT value FROM grants_read.generation_v1')).toEqual([{ value: 0 }])
})

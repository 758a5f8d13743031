import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { requireMigrated } from '../../src/postgres/availability.ts'
import { type Migrations, migrate } from '../../src/postgres/migrate.ts'
import { createPool, type Database } from '../../src/postgres/pool.ts'

let server: TestDatabase
let folder: string
let admin: Database
let migrations: Migrations

beforeEach(async () => {
  server = await createTestDatabase({ migrations: [] })
  admin = createPool({ url: server.adminUrl, applicationName: 'migrate-test' })
  folder = await mkdtemp(join(tmpdir(), 'signet-migrate-'))
  migrations = { schema: 'keys', role: 'signet_keys', folder: pathToFileURL(`${folder}/`) }
})
afterEach(async () => {
  await admin.close()
  await server.drop()
  await rm(folder, { recursive: true, force: true })
})

const file = (name: string, sql: string) => writeFile(join(folder, name), sql)
const tables = async () => {
  const { rows } = await admin.query<{ name: string; owner: string }>({
    name: '',
    text: `SELECT relname AS name, relowner::regrole::text AS owner FROM pg_class
            WHERE relnamespace = 'keys'::regnamespace AND relkind = 'r' AND relname <> 'schema_migration' ORDER BY 1`,
  })
  return rows
}

it('applies files in the order of their numbers, once, as the owner of the schema', async () => {
  await file('0002_second.sql', 'ALTER TABLE keys.thing ADD COLUMN more text')
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id text)')
  await file('notes.md', 'not SQL')
  await file('0003-wrong-name.sql', 'not SQL either')
  expect(await migrate(admin, migrations)).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(await migrate(admin, migrations)).toEqual([])
  await file('0003_third.sql', 'CREATE TABLE keys.another (id text)')
  expect(await migrate(admin, migrations)).toEqual(['0003_third.sql'])
  expect(await tables()).toEqual([
    { name: 'another', owner: 'signet_keys' },
    { name: 'thing', owner: 'signet_keys' },
  ])
})

it('processes that start at once apply each file once', async () => {
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id text)')
  await file('0002_second.sql', 'CREATE TABLE keys.another (id text)')
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(admin, migrations)))
  expect(applied.flat().sort()).toEqual(['0001_first.sql', '0002_second.sql'])
})

it('a file that fails leaves no change, those before it stay', async () => {
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id text)')
  await file('0002_second.sql', 'CREATE TABLE keys.another (id text); SELECT 1/0')
  await expect(migrate(admin, migrations)).rejects.toThrow('division by zero')
  expect(await tables()).toEqual([{ name: 'thing', owner: 'signet_keys' }])
  await file('0002_second.sql', 'CREATE TABLE keys.another (id text)')
  expect(await migrate(admin, migrations)).toEqual(['0002_second.sql'])
})

it('a file that was changed after it had been applied stops the start with the remedy', async () => {
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id text)')
  await migrate(admin, migrations)
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id integer)')
  await expect(migrate(admin, migrations)).rejects.toMatchObject({
    name: 'StartFailure',
    message: expect.stringMatching(/keys\/0001_first\.sql was changed .* add a new file/),
  })
})

it('a file cannot reach beyond the rights of the owner', async () => {
  await file('0001_first.sql', 'CREATE TABLE directory.mine (id text)')
  await expect(migrate(admin, migrations)).rejects.toMatchObject({ code: '42501' })
})

it('a version waits for its migrations, and works on a schema with later ones', async () => {
  await file('0001_first.sql', 'CREATE TABLE keys.thing (id text)')
  await migrate(admin, migrations)
  await file('0002_second.sql', 'CREATE TABLE keys.another (id text)')
  await expect(requireMigrated(admin, migrations)).rejects.toThrow(
    'migrations of keys are missing: 0002_second.sql',
  )
  await migrate(admin, migrations)
  await requireMigrated(admin, migrations)
  await rm(join(folder, '0002_second.sql'))
  await requireMigrated(admin, migrations)
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requireMigrated } from '../../src/postgres/availability.ts'
import { migrate, prepareDatabase } from '../../src/postgres/migrate.ts'
import type { Migrations } from '../../src/postgres/migration-files.ts'
import { createPool, type Pool } from '../../src/postgres/pool.ts'

let server: TestDatabase
let folder: string
let admin: Pool
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

async function file(name: string, sql: string): Promise<void> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, sql)
}
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

describe('a file outside a transaction', () => {
  const indexes = async () => {
    const { rows } = await admin.query<{ name: string; owner: string; valid: boolean }>({
      name: '',
      text: `SELECT relname AS name, relowner::regrole::text AS owner, indisvalid AS valid
               FROM pg_index JOIN pg_class ON oid = indexrelid
              WHERE indrelid = 'keys.thing'::regclass ORDER BY 1`,
    })
    return rows
  }
  const rebuild = (name: string, column: string) =>
    `DROP INDEX CONCURRENTLY IF EXISTS keys.${name};\nCREATE INDEX CONCURRENTLY ${name}\n  ON keys.thing (${column});\n`

  beforeEach(async () => {
    await file('0001_first.sql', 'CREATE TABLE keys.thing (id text, size integer)')
  })

  it('runs each statement as the owner, and is applied once by processes that start at once', async () => {
    const text = `-- outside a transaction: in one it fails\n${rebuild('thing_id', 'id')}-- both\n${rebuild('thing_size', 'size')}`
    await file('0002_indexes.sql', text)
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(admin, migrations)))
    expect(applied.flat().sort()).toEqual(['0001_first.sql', '0002_indexes.sql'])
    expect(await indexes()).toEqual([
      { name: 'thing_id', owner: 'signet_keys', valid: true },
      { name: 'thing_size', owner: 'signet_keys', valid: true },
    ])
    expect(await migrate(admin, migrations)).toEqual([])
    await file('0002_indexes.sql', `${text}-- more\n`)
    await expect(migrate(admin, migrations)).rejects.toThrow('0002_indexes.sql was changed')
  })

  it('is repeated from its beginning after a statement failed, and leaves no role to its connection', async () => {
    await migrate(admin, migrations)
    await admin.query({ name: '', text: `INSERT INTO keys.thing VALUES ('a', 1), ('a', 2)` })
    const unique = rebuild('thing_id', 'id').replace('CREATE', 'CREATE UNIQUE')
    await file('0002_indexes.sql', `-- outside a transaction\n${unique}`)
    await expect(migrate(admin, migrations)).rejects.toMatchObject({ code: '23505' })
    expect(await indexes()).toEqual([{ name: 'thing_id', owner: 'signet_keys', valid: false }])
    const { rows } = await admin.query<{ own: boolean }>({
      name: '',
      text: 'SELECT current_user = session_user AS own',
    })
    expect(rows).toEqual([{ own: true }])
    await admin.query({ name: '', text: 'DELETE FROM keys.thing WHERE size = 2' })
    expect(await migrate(admin, migrations)).toEqual(['0002_indexes.sql'])
    expect(await indexes()).toEqual([{ name: 'thing_id', owner: 'signet_keys', valid: true }])
  })

  it('waits for transactions that began before, and lets others write meanwhile', async () => {
    await migrate(admin, migrations)
    await file('0002_indexes.sql', `-- outside a transaction\n${rebuild('thing_id', 'id')}`)
    const writes = (id: string) => ({ name: '', text: `INSERT INTO keys.thing VALUES ('${id}', 1)` })
    let applying: Promise<readonly string[]> | undefined
    await admin.transaction(async (tx) => {
      await tx.query(writes('before'))
      applying = migrate(admin, migrations)
      await expect.poll(indexes, { timeout: 30_000 }).toHaveLength(1)
      await admin.query(writes('meanwhile'))
      expect(await indexes()).toMatchObject([{ valid: false }])
    })
    expect(await applying).toEqual(['0002_indexes.sql'])
    expect(await indexes()).toMatchObject([{ valid: true }])
  })
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

describe('a view', () => {
  const viewOf = (columns: string) =>
    `CREATE OR REPLACE VIEW keys_read.thing_v1 AS SELECT ${columns} FROM keys.thing`
  const columnsOf = async () => {
    const { rows } = await admin.query<{ name: string }>({
      name: '',
      text: `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'keys_read.thing_v1'::regclass ORDER BY attnum`,
    })
    return rows.map(({ name }) => name)
  }
  const appliedFiles = async () => (await migrate(admin, migrations)).map((name) => name.split(' ')[0])

  beforeEach(async () => {
    await file('0001_first.sql', 'CREATE TABLE keys.thing (id text, size integer)')
    await file('views/thing_v1.sql', viewOf('id'))
  })

  it('is applied after the numbered files, and again when its text changed', async () => {
    expect(await appliedFiles()).toEqual(['0001_first.sql', 'views/thing_v1.sql'])
    expect(await appliedFiles()).toEqual([])
    await file('views/thing_v1.sql', viewOf('id, size'))
    expect(await appliedFiles()).toEqual(['views/thing_v1.sql'])
    expect(await columnsOf()).toEqual(['id', 'size'])
    expect(await appliedFiles()).toEqual([])
  })

  it('is applied again with a text that it had before', async () => {
    const texts = [viewOf('id'), viewOf("id || '' AS id"), viewOf('id')]
    for (const text of texts) {
      await file('views/thing_v1.sql', text)
      expect(await appliedFiles()).toContain('views/thing_v1.sql')
    }
    expect(await appliedFiles()).toEqual([])
  })

  it('is applied again after a new numbered file, since * may stand for more columns', async () => {
    await file('views/thing_v1.sql', viewOf('*'))
    await appliedFiles()
    await file('0002_second.sql', 'ALTER TABLE keys.thing ADD COLUMN colour text')
    expect(await appliedFiles()).toEqual(['0002_second.sql', 'views/thing_v1.sql'])
    expect(await columnsOf()).toEqual(['id', 'size', 'colour'])
  })

  it.each([
    ['without a column', 'id', /cannot drop columns from view/],
    ['with columns in another order', 'size, id', /cannot change name of view column "id" to "size"/],
    ['with a column of another type', 'id, size::text', /cannot change data type of view column "size"/],
  ])('%s is refused with the remedy, and nothing changes', async (_, columns, reason) => {
    await file('views/thing_v1.sql', viewOf('id, size'))
    await appliedFiles()
    await file('views/thing_v1.sql', viewOf(columns))
    const refused = expect(migrate(admin, migrations)).rejects
    await refused.toMatchObject({ name: 'StartFailure', message: expect.stringMatching(reason) })
    await expect(migrate(admin, migrations)).rejects.toThrow(
      /^keys\/views\/thing_v1\.sql: .* add columns at the end, or publish another view/,
    )
    expect(await columnsOf()).toEqual(['id', 'size'])
  })

  it('keeps the columns of a later version when an older one migrates', async () => {
    await appliedFiles()
    await file('views/thing_v1.sql', viewOf('id, size'))
    await appliedFiles()
    await file('views/thing_v1.sql', viewOf('id'))
    expect(await appliedFiles()).toEqual([])
    await requireMigrated(admin, migrations)
    expect(await columnsOf()).toEqual(['id', 'size'])
  })

  it('has to be applied before a version with another text serves', async () => {
    await appliedFiles()
    await file('views/thing_v1.sql', viewOf('id, size'))
    await expect(requireMigrated(admin, migrations)).rejects.toThrow(
      /migrations of keys are missing: views\/thing_v1\.sql/,
    )
  })

  it('is applied once by processes that start at once', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, appliedFiles))
    expect(applied.flat().sort()).toEqual(['0001_first.sql', 'views/thing_v1.sql'])
  })

  it('belongs to the owner of the schema', async () => {
    await file('views/thing_v1.sql', 'CREATE OR REPLACE VIEW directory.mine AS SELECT 1 AS id')
    await expect(migrate(admin, migrations)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a file that replaces others', () => {
  const HEADER =
    '-- replaces the files of commit abc123 and later ones:\n--   0001_first.sql 0002_second.sql\n--   0003_third.sql\n'
  const recorded = async () => {
    const { rows } = await admin.query<{ name: string }>({
      name: '',
      text: 'SELECT name FROM keys.schema_migration ORDER BY applied_at, name',
    })
    return rows.map(({ name }) => name)
  }
  const columnsOfThing = async () => {
    const { rows } = await admin.query<{ name: string }>({
      name: '',
      text: `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'keys.thing'::regclass AND attnum > 0 ORDER BY attnum`,
    })
    return rows.map(({ name }) => name)
  }
  const older = [
    ['0001_first.sql', 'CREATE TABLE keys.thing (id text)'],
    ['0002_second.sql', 'ALTER TABLE keys.thing ADD COLUMN size integer'],
    ['0003_third.sql', 'ALTER TABLE keys.thing ADD COLUMN colour text'],
  ] as const
  /** Applies the first so many older files, as a version before did. */
  async function installOlder(count: number): Promise<void> {
    for (const [name, sql] of older.slice(0, count)) await file(name, sql)
    await migrate(admin, migrations)
    for (const [name] of older.slice(0, count)) await rm(join(folder, name))
  }
  beforeEach(async () => {
    await migrate(admin, migrations)
  })
  const replace = async () => {
    await file('0001_schema.sql', `${HEADER}CREATE TABLE keys.thing (id text, size integer, colour text)`)
    await file('replaced/0003_third.sql', older[2][1])
  }

  it('makes the objects of a new database alone', async () => {
    await replace()
    expect(await migrate(admin, migrations)).toEqual(['0001_schema.sql'])
    expect(await columnsOfThing()).toEqual(['id', 'size', 'colour'])
    expect(await migrate(admin, migrations)).toEqual([])
  })

  it('is recorded without running where all of them were applied', async () => {
    await installOlder(3)
    await replace()
    expect(await migrate(admin, migrations)).toEqual(['0001_schema.sql'])
    expect(await columnsOfThing()).toEqual(['id', 'size', 'colour'])
    await requireMigrated(admin, migrations)
    expect(await migrate(admin, migrations)).toEqual([])
  })

  it('is recorded after those that came since the commit that it names', async () => {
    await installOlder(2)
    await replace()
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(admin, migrations)))
    expect(applied.flat().sort()).toEqual(['0001_schema.sql', '0003_third.sql'])
    expect(await columnsOfThing()).toEqual(['id', 'size', 'colour'])
    expect(await recorded()).toEqual([
      '0001_first.sql',
      '0002_second.sql',
      '0003_third.sql',
      '0001_schema.sql',
    ])
  })

  it('is refused where one of an earlier commit is missing, with the commit to upgrade to, and nothing is written', async () => {
    await installOlder(1)
    await replace()
    await expect(migrate(admin, migrations)).rejects.toMatchObject({
      name: 'StartFailure',
      message: expect.stringMatching(
        /^keys lacks 2 of the 3 migrations that 0001_schema\.sql replaces, as 0002_second\.sql: upgrade to commit abc123 first/,
      ),
    })
    expect(await recorded()).toEqual(['0001_first.sql'])
    const before = { ...migrations, schema: 'grants', role: 'signet_token' } as const
    const prepared = prepareDatabase({
      adminUrl: server.adminUrl,
      passwords: {} as never,
      migrations: [before, migrations],
    })
    await expect(prepared).rejects.toThrow('upgrade to commit abc123 first')
    const { rows } = await admin.query({
      name: '',
      text: `SELECT FROM pg_class WHERE relnamespace = 'grants'::regnamespace`,
    })
    expect(rows).toEqual([])
  })

  it('may not change either once it was applied', async () => {
    await replace()
    await migrate(admin, migrations)
    await file('0001_schema.sql', `${HEADER}CREATE TABLE keys.thing (id integer)`)
    await expect(migrate(admin, migrations)).rejects.toThrow('was changed after it had been applied')
  })
})

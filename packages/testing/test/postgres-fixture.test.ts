import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@signet/platform/postgres/pool'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../src/postgres-fixture.ts'

async function query(url: { reveal(): string }, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url.reveal() })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function migrationsOf(sql: string) {
  const folder = await mkdtemp(join(tmpdir(), 'signet-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '0001_first.sql'), sql)
  return [{ schema: 'keys', role: 'signet_keys' as const, folder: pathToFileURL(`${folder}/`) }]
}

async function create(migrations: Awaited<ReturnType<typeof migrationsOf>>): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrations })
  onTestFinished(() => database.drop())
  return database
}

describe('createTestDatabase', () => {
  it('applies the migrations as the owning role and connects with the rights of one service', async () => {
    const database = await create(await migrationsOf('CREATE TABLE keys.ring (name text)'))
    await query(database.url('signet_keys'), "INSERT INTO keys.ring VALUES ('signing')")
    await expect(query(database.adminUrl, 'SELECT name FROM keys.ring')).resolves.toEqual(['signing'])
    await expect(query(database.url('signet_token'), 'SELECT name FROM keys.ring')).rejects.toMatchObject({
      code: '42501',
    })
  })

  it('gives every caller a database of its own, made from one template', async () => {
    const migrations = await migrationsOf('CREATE TABLE keys.counted (n int)')
    // Each of them connects; more would show what the server's limit is.
    const databases = await Promise.all(Array.from({ length: 20 }, () => create(migrations)))
    await Promise.all(
      databases.map(({ adminUrl }, n) => query(adminUrl, `INSERT INTO keys.counted VALUES (${n})`)),
    )
    const found = await Promise.all(
      databases.map(({ adminUrl }) => query(adminUrl, 'SELECT n FROM keys.counted')),
    )
    expect(found).toEqual(databases.map((_, n) => [n]))
  })

  it('makes a new template when a migration has other contents', async () => {
    const first = await create(await migrationsOf('CREATE TABLE keys.before (n int)'))
    const second = await create(await migrationsOf('CREATE TABLE keys.after (n int)'))
    const tables = "SELECT tablename::text FROM pg_tables WHERE tablename IN ('before', 'after')"
    await expect(query(first.adminUrl, tables)).resolves.toEqual(['before'])
    await expect(query(second.adminUrl, tables)).resolves.toEqual(['after'])
  })

  it('runs a preparation once, as its role, and copies what it did', async () => {
    const migrations = await migrationsOf('CREATE TABLE keys.prepared (by text)')
    let runs = 0
    const preparation = {
      name: 'a row',
      role: 'signet_keys' as const,
      run: async (database: Database) => {
        runs += 1
        await database.query({ name: '', text: 'INSERT INTO keys.prepared VALUES (current_user)' })
      },
    }
    for (const expected of [[], ['signet_keys'], ['signet_keys']]) {
      const contents = expected.length === 0 ? { migrations } : { migrations, preparations: [preparation] }
      const database = await createTestDatabase(contents)
      onTestFinished(() => database.drop())
      await expect(query(database.adminUrl, 'SELECT by FROM keys.prepared')).resolves.toEqual(expected)
    }
    expect(runs).toBe(1)
  })

  it('removes the database even while a client is connected', async () => {
    const database = await createTestDatabase({ migrations: [] })
    const client = new pg.Client({ connectionString: database.adminUrl.reveal() })
    client.on('error', () => {})
    await client.connect()
    await database.drop()
    const name = new URL(database.adminUrl.reveal()).pathname.slice(1)
    const known = `SELECT 1 FROM pg_database WHERE datname = '${name}'`
    await expect(query({ reveal: () => inject('postgresUrl') }, known)).resolves.toEqual([])
  })
})

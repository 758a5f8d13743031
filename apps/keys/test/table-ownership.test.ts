import { createPool } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES } from '@signet/platform/postgres/roles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeysDatabase, type KeysDatabase } from './fixtures/keys-database.ts'

let keys: KeysDatabase
beforeAll(async () => {
  keys = await createKeysDatabase()
})
afterAll(() => keys.drop())

const TABLES = ['ring_key', 'ring_revision', 'schema_migration']

describe('the schema keys', () => {
  it('has only known tables', async () => {
    const { rows } = await keys.connect().query<{ name: string }>({
      name: 'test.tables',
      text: `SELECT relname AS name FROM pg_class WHERE relnamespace = 'keys'::regnamespace AND relkind IN ('r', 'p')
               AND NOT relispartition ORDER BY relname`,
    })
    expect(rows.map(({ name }) => name)).toEqual(TABLES)
  })

  const others = DATABASE_ROLES.filter((role) => role !== 'signet_keys')
  it.each(others)('%s can neither read nor write it', async (role) => {
    const database = createPool({ url: keys.server.url(role), applicationName: 'test', max: 1 })
    try {
      for (const table of TABLES) {
        for (const text of [`SELECT * FROM keys.${table}`, `DELETE FROM keys.${table}`]) {
          await expect(database.query({ name: '', text })).rejects.toThrow(
            'permission denied for schema keys',
          )
        }
      }
    } finally {
      await database.close()
    }
  })

  it('signet_keys may create nothing in other schemas', async () => {
    const text = 'CREATE TABLE directory.mine (id text)'
    await expect(keys.connect().query({ name: '', text })).rejects.toThrow('permission denied')
  })
})

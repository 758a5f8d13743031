import { createPool, type Database } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../src/postgres-fixture.ts'
import { changedTables, placesOf, tableDigests } from '../src/stored-rows.ts'

let testDatabase: TestDatabase
let database: Database
const query = async (text: string, name = '') =>
  (await database.query<object>({ name, text, values: [] })).rows
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrations: [] })
  database = createPool({ url: testDatabase.adminUrl, applicationName: 'test', max: 1 })
  await query('CREATE TABLE keys.thing (name text, bytes bytea)')
  await query('CREATE TABLE keys.part (day int) PARTITION BY LIST (day)')
  await query('CREATE TABLE keys.part_1 PARTITION OF keys.part FOR VALUES IN (1)')
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

it('names the tables whose rows changed', async () => {
  const before = await tableDigests(query, ['keys'])
  expect(Object.keys(before)).toEqual(['keys.part_1', 'keys.thing'])
  await query("INSERT INTO keys.thing VALUES ('one', NULL)")
  await query('INSERT INTO keys.part VALUES (1)')
  expect(changedTables(before, await tableDigests(query, ['keys']))).toEqual(['keys.part_1', 'keys.thing'])
  expect(changedTables(before, await tableDigests(query, ['keys'], ['part_1']))).toEqual(['keys.thing'])
  await expect(tableDigests(query, ['nothing'])).rejects.toThrow('no table in nothing')
})

it.each([
  ['the text', `('a Secret-Text-1 b', NULL)`],
  ['its bytes', `(NULL, convert_to('a secret-text-1 b', 'UTF8'))`],
  ['its base64', `(encode('secret-text-1', 'base64'), NULL)`],
  ['the bytes of its base64', `(NULL, convert_to(encode('secret-text-1', 'base64'), 'UTF8'))`],
])('finds %s in a column', async (_, row) => {
  await query('DELETE FROM keys.thing')
  expect(await placesOf(['secret-text-1'], query, ['keys'])).toEqual([])
  await query(`INSERT INTO keys.thing VALUES ${row}`)
  expect(await placesOf(['other', 'secret-text-1'], query, ['keys'])).toEqual(['keys.thing: secret-text-1'])
})

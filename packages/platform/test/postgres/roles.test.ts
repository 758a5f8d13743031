import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool, type Database } from '../../src/postgres/pool.ts'
import { DATABASE_ROLES, SERVICE_SCHEMAS } from '../../src/postgres/roles.ts'

let server: TestDatabase
let admin: Database
beforeAll(async () => {
  // The fixture provisions the roles of a fresh database with `provisionRoles`.
  server = await createTestDatabase({ migrations: [] })
  admin = createPool({ url: server.adminUrl, applicationName: 'roles-test' })
})
afterAll(async () => {
  await admin?.close()
  await server?.drop()
})

it('makes every schema, owned by the role of its service and closed to the public', async () => {
  const { rows } = await admin.query({
    name: '',
    text: `SELECT nspname AS schema, nspowner::regrole::text AS owner, has_schema_privilege('public', oid, 'USAGE, CREATE') AS open
             FROM pg_namespace WHERE nspname = ANY ($1) ORDER BY 1`,
    values: [Object.values(SERVICE_SCHEMAS).flat()],
  })
  const expected = Object.entries(SERVICE_SCHEMAS).flatMap(([owner, schemas]) =>
    schemas.map((schema) => ({ schema, owner, open: false })),
  )
  expect(rows).toEqual(expected.sort((a, b) => a.schema.localeCompare(b.schema)))
})

it('every role signs in with its own password and with no other', async () => {
  for (const role of DATABASE_ROLES) {
    const own = createPool({ url: server.url(role), applicationName: 'roles-test', max: 1 })
    const { rows } = await own.query({ name: '', text: 'SELECT current_user::text AS role' })
    expect(rows).toEqual([{ role }])
    await own.close()
    const wrong = new URL(server.url(role).reveal())
    wrong.password = 'wrong'
    const refused = createPool({ url: { reveal: () => wrong.href }, applicationName: 'roles-test', max: 1 })
    await expect(refused.query({ name: '', text: 'SELECT 1' })).rejects.toMatchObject({
      name: 'DependencyUnavailableError',
      cause: { code: '28P01' },
    })
    await refused.close()
  }
})

it('no role creates anything in the schema public', async () => {
  for (const role of DATABASE_ROLES) {
    const database = createPool({ url: server.url(role), applicationName: 'roles-test', max: 1 })
    const create = database.query({ name: '', text: 'CREATE TABLE public.mine (id text)' })
    await expect(create, role).rejects.toMatchObject({ code: '42501' })
    await database.close()
  }
})

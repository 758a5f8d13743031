import { migrate } from '@signet/platform/postgres/migrate'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrations } from '../src/migrations.ts'
import { auditTable } from '../src/rotation/key.repository.ts'

const DETACH = 'ALTER TABLE keys.audit_event DETACH PARTITION keys.audit_event_2021_11'

let opened: AsyncDisposableStack
let administrator: Database
let service: Database
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  const { schema, role, folder } = migrations
  const server = await createTestDatabase({ migrations: [{ schema, role, folder }] })
  opened.defer(() => server.drop())
  administrator = createPool({ url: server.adminUrl, applicationName: 'test', max: 4 })
  opened.defer(() => administrator.close())
  service = createPool({ url: server.url('signet_keys'), applicationName: 'test', max: 4 })
  opened.defer(() => service.close())
  await service.transaction(async (tx) => {
    for (const text of [
      "CREATE TABLE keys.audit_event_2021_11 PARTITION OF keys.audit_event FOR VALUES FROM ('2021-11-01Z') TO ('2021-12-01Z')",
      "INSERT INTO keys.audit_event (at, actor_kind, action, result) VALUES ('2021-11-20', 'system', 'old', 'success')",
    ])
      await tx.query({ name: '', text })
  })
})
afterEach(() => opened.disposeAsync())

const sql = async <R>(text: string) => (await administrator.query<R>({ name: '', text })).rows
const schemaOfOld = async () =>
  (
    await sql<{ schema: string }>(
      "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname = 'audit_event_2021_11'",
    )
  ).map(({ schema }) => schema)

/** The state in which a kill leaves a partition before the second transaction of DETACH … CONCURRENTLY. */
async function killWhileDetaching(): Promise<void> {
  let detaching: Promise<unknown> = Promise.resolve()
  await administrator.transaction(async (reader) => {
    await reader.query({ name: '', text: 'LOCK TABLE keys.audit_event IN ACCESS SHARE MODE' })
    detaching = service.query({ name: '', text: `${DETACH} CONCURRENTLY` }).catch((error: unknown) => error)
    const waiting = () => sql('SELECT FROM pg_inherits WHERE inhdetachpending')
    await expect.poll(waiting).toHaveLength(1)
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '${DETACH}%'`)
    await detaching
  })
}

it.each([
  ['detached', () => service.query({ name: '', text: DETACH })],
  ['was detaching', killWhileDetaching],
])('the move takes a partition along that a killed process %s, and retention drops it', async (_, kill) => {
  await kill()
  expect(await migrate(administrator, migrations)).toEqual(['audit/0001_audit_chain.sql'])
  expect(await schemaOfOld()).toEqual(['keys_audit'])
  await auditTable.settlePartitions(service, new Date())
  expect(await schemaOfOld()).toEqual([])
})

it('keeps the partition of a month whose retention has not ended', async () => {
  await service.query({ name: '', text: DETACH })
  await migrate(administrator, migrations)
  await auditTable.settlePartitions(service, new Date('2022-12-01'))
  expect(await schemaOfOld()).toEqual(['keys_audit'])
})

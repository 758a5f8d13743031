import { afterAll, beforeAll, expect, it } from 'vitest'
import { endWeekOf } from '../src/grants/grant-id.ts'
import { dayOf, planPartitions, weekOf } from '../src/partitions/partition-plan.ts'
import { PostgresPartitionStore } from '../src/stores/postgres-partition-store.ts'
import { DAY_MS, type GrantWorld, startGrantWorld } from './fixtures/grant-world.ts'

let world: GrantWorld
let now: Date
beforeAll(async () => {
  world = await startGrantWorld()
  now = new Date()
})
afterAll(() => world?.stop())

async function partitions(table: string): Promise<readonly number[]> {
  const rows = await world.sql(
    `SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = $1::regclass`,
    [`grants.${table}`],
  )
  return rows.map(({ relname }) => Number(String(relname).slice(table.length + 1))).sort((a, b) => a - b)
}

it('a grant of 400 days, a code and a revocation of now have their partitions', async () => {
  const longest = new Date(now.getTime() + 400 * DAY_MS)
  expect(await partitions('authorization_grant')).toEqual(
    expect.arrayContaining([weekOf(now), weekOf(longest)]),
  )
  expect(await partitions('code_redemption')).toContain(dayOf(now))
  expect(await partitions('revocation')).toContain(dayOf(now))
})

it('replicas that settle at once make each partition once', async () => {
  const later = planPartitions(new Date(now.getTime() + 10 * DAY_MS))
  const stores = Array.from({ length: 5 }, () => new PostgresPartitionStore(world.database))
  await Promise.all(stores.map((store) => store.settle(later)))
  for (const { table, first, last } of later) {
    expect(await partitions(table)).toEqual(Array.from({ length: last - first + 1 }, (_, n) => first + n))
  }
})

it('what is over is dropped, and only that', async () => {
  const { grant, redemption } = world.newGrant()
  await world.replica().grants.redeem({ ...redemption, day: dayOf(now) + 10 }, grant)
  const later = new Date(now.getTime() + 13 * DAY_MS)
  await new PostgresPartitionStore(world.database).settle(planPartitions(later))
  expect(await world.sql('SELECT code_id FROM grants.code_redemption')).toEqual([
    { code_id: redemption.codeId },
  ])
  await new PostgresPartitionStore(world.database).settle(planPartitions(new Date(later.getTime() + DAY_MS)))
  expect(await world.sql('SELECT code_id FROM grants.code_redemption')).toEqual([])
  // A family lives until its own end, whatever becomes of the code that it began with.
  expect(
    await world.sql('SELECT grant_id FROM grants.authorization_grant WHERE end_week = $1', [
      endWeekOf(grant.grantId),
    ]),
  ).toHaveLength(1)
})

it('a replica waits for the one that makes many partitions, longer than anybody waits for a row', async () => {
  const store = new PostgresPartitionStore(world.database)
  const held = world.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SELECT pg_advisory_xact_lock(7331010)' })
    await tx.query({ name: '', text: 'SELECT pg_sleep(2.5)' })
  })
  await Promise.all([held, expect(store.settle(planPartitions(now))).resolves.toBeUndefined()])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { PartitionStore } from '../src/partitions/partition.repository.ts'
import {
  dayOf,
  endWeekOf,
  monthOf,
  type PartitionPlan,
  planPartitions,
  planStart,
  weekOf,
} from '../src/partitions/partition-plan.ts'
import { DAY_MS, type GrantEnvironment, startGrantEnvironment } from './fixtures/grant-environment.ts'

let environment: GrantEnvironment
let store: PartitionStore
let now: Date
beforeAll(async () => {
  environment = await startGrantEnvironment()
  store = new PartitionStore(environment.database)
  now = new Date()
})
afterAll(() => environment?.stop())

const after = (days: number) => new Date(now.getTime() + days * DAY_MS)
const round = async (moment: Date) => {
  await store.create(planPartitions(moment))
  await store.drop(planPartitions(moment))
}
const range = ({ first, last }: Pick<PartitionPlan, 'first' | 'last'>) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** The numbers of the partitions that a statement on the table reads. */
async function partitions(table: string): Promise<readonly number[]> {
  const rows = await environment.sql(
    `SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = $1::regclass AND NOT inhdetachpending`,
    [`grants.${table}`],
  )
  return rows.map(({ relname }) => Number(String(relname).slice(table.length + 1))).sort((a, b) => a - b)
}

/** The numbers of all tables that are or were partitions of the table. */
async function tables(table: string): Promise<readonly number[]> {
  const rows = await environment.sql(
    `SELECT relname FROM pg_class WHERE relnamespace = 'grants'::regnamespace AND relkind = 'r'
        AND relname ~ ('^' || $1 || '_[0-9]+$')`,
    [table],
  )
  return rows.map(({ relname }) => Number(String(relname).slice(table.length + 1))).sort((a, b) => a - b)
}

it('has partitions for a grant of 400 days, a code and a revocation of now', async () => {
  expect(await partitions('authorization_grant')).toEqual(
    expect.arrayContaining([weekOf(now), weekOf(after(400))]),
  )
  expect(await partitions('code_redemption')).toContain(dayOf(now))
  expect(await partitions('revocation')).toContain(dayOf(now))
  expect(await partitions('ended_session')).toContain(monthOf(now))
})

it.each(['2028-01-01T00:00:00Z', '2028-01-31T23:59:59Z', '2028-02-29T12:00:00Z', '2028-12-31T23:59:59Z'])(
  'keeps the end of a session of %s for 400 days and not for 16 months',
  (ended) => {
    const month = monthOf(new Date(ended))
    const firstAfter = (days: number) =>
      planPartitions(new Date(Date.parse(ended) + days * DAY_MS)).find(
        ({ table }) => table === 'ended_session',
      )?.first
    expect(firstAfter(400)).toBeLessThanOrEqual(month)
    expect(firstAfter(16 * 31)).toBeGreaterThan(month)
  },
)

it.each([0, 1, 6, 7, 31, 400])(
  'creates at a start the partitions of a grant of 400 days in %i days',
  (days) => {
    const begun = after(days)
    const plans = new Map(planStart(begun).map((plan) => [plan.table, plan]))
    const longest = new Date(begun.getTime() + 400 * DAY_MS)
    for (const table of ['authorization_grant', 'grant_origin', 'session_client'] as const)
      expect(range(plans.get(table) ?? { first: 0, last: 0 })).toEqual(
        expect.arrayContaining([weekOf(begun), weekOf(longest)]),
      )
    expect(plans.get('code_redemption')).toMatchObject({ first: dayOf(begun), last: dayOf(begun) + 1 })
  },
)

it('reads only the catalog for a start when the round of the day before made its partitions', async () => {
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = environment.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'LOCK TABLE grants.authorization_grant IN ACCESS EXCLUSIVE MODE' })
    locked.resolve()
    await held.promise
  })
  await locked.promise
  await store.create(planStart(after(1)))
  held.resolve()
  await holder
})

it('creates each partition once when replicas begin at once', async () => {
  const later = planPartitions(after(10))
  const stores = Array.from({ length: 5 }, () => new PartitionStore(environment.database))
  await Promise.all(stores.map((replica) => replica.create(later)))
  for (const plan of later) expect(await partitions(plan.table)).toEqual(expect.arrayContaining(range(plan)))
})

it('drops each partition once when replicas begin at once', async () => {
  const later = planPartitions(after(10))
  const stores = Array.from({ length: 5 }, () => new PartitionStore(environment.database))
  await Promise.all(stores.map((replica) => replica.drop(later)))
  for (const plan of later) expect(await partitions(plan.table)).toEqual(range(plan))
})

it('drops the partitions that are over, and only those', async () => {
  const { grant, redemption } = environment.newGrant()
  await environment.replica().grants.redeem({ ...redemption, day: dayOf(now) + 10 }, grant)
  await round(after(13))
  expect(await environment.sql('SELECT code_id FROM grants.code_redemption')).toEqual([
    { code_id: redemption.codeId },
  ])
  await round(after(14))
  expect(await environment.sql('SELECT code_id FROM grants.code_redemption')).toEqual([])
  // A family lives until its own end, also after its code's partition was dropped.
  expect(
    await environment.sql('SELECT grant_id FROM grants.authorization_grant WHERE end_week = $1', [
      endWeekOf(grant.grantId),
    ]),
  ).toHaveLength(1)
})

it('leaves no table when it is killed between CREATE and ATTACH; the next call creates the partition', async () => {
  const day = dayOf(now) + 40
  const plan = [{ table: 'code_redemption', first: day, last: day, span: 1 }] as const
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = environment.database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'LOCK TABLE grants.code_redemption IN SHARE UPDATE EXCLUSIVE MODE' })
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const killed = store.create(plan)
  const failed = expect(killed).rejects.toThrow()
  await expect
    .poll(() =>
      environment.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ATTACH%'
                              AND query NOT LIKE '%pg_terminate%'`),
    )
    .toHaveLength(1)
  await failed
  expect(await tables('code_redemption')).not.toContain(day)
  held.resolve()
  await holder
  await store.create(plan)
  expect(await partitions('code_redemption')).toContain(day)
})

it('drops a partition that a kill left between DETACH and DROP', async () => {
  const [day = 0] = await partitions('code_redemption')
  await environment.database.query({
    name: '',
    text: `ALTER TABLE grants.code_redemption DETACH PARTITION grants.code_redemption_${day} CONCURRENTLY`,
  })
  expect(await partitions('code_redemption')).not.toContain(day)
  expect(await tables('code_redemption')).toContain(day)
  await store.drop([{ table: 'code_redemption', first: day + 1, last: day + 1, span: 1 }])
  expect(await tables('code_redemption')).not.toContain(day)
})

it('completes a DETACH that was interrupted, once the reader that it waited for has ended', async () => {
  const [day = 0] = await partitions('code_redemption')
  const plan = [{ table: 'code_redemption', first: day + 1, last: day + 1, span: 1 }] as const
  await environment.database.transaction(async (reader) => {
    await reader.query({ name: '', text: 'SELECT count(*) FROM grants.code_redemption' })
    await expect(
      environment.database.query({
        name: '',
        text: `ALTER TABLE grants.code_redemption DETACH PARTITION grants.code_redemption_${day} CONCURRENTLY`,
      }),
    ).rejects.toThrow('lock timeout')
    await store.drop(plan)
    expect(await tables('code_redemption')).toContain(day)
  })
  expect(await partitions('code_redemption')).not.toContain(day)
  await store.drop(plan)
  expect(await tables('code_redemption')).not.toContain(day)
})

it.each([7, 31, 400])('creates and drops partitions after a pause of %i days', async (days) => {
  const later = planPartitions(after(60 + days))
  await round(after(60 + days))
  for (const plan of later) {
    expect(await partitions(plan.table)).toEqual(range(plan))
    expect(await tables(plan.table)).toEqual(range(plan))
  }
})

it('waits for another replica that creates partitions longer than a request waits for a row', async () => {
  const held = environment.database.transaction(async (tx) => {
    await tx.query({
      name: '',
      text: `SELECT pg_advisory_xact_lock(hashtextextended('partitions of grants.revocation', 0))`,
    })
    await tx.query({ name: '', text: 'SELECT pg_sleep(2.5)' })
  })
  await Promise.all([held, expect(store.create(planPartitions(after(600)))).resolves.toBeUndefined()])
})

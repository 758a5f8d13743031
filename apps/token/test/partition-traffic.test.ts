import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditTable } from '../src/audit-events.ts'
import { PartitionStore } from '../src/partitions/partition.repository.ts'
import { planPartitions, planStart } from '../src/partitions/partition-plan.ts'
import { DAY_MS, type GrantEnvironment, startGrantEnvironment } from './fixtures/grant-environment.ts'

const PARTITIONED = [
  'authorization_grant',
  'grant_origin',
  'session_client',
  'code_redemption',
  'revocation',
  'logout_delivery',
  'audit_event',
]

let environment: GrantEnvironment
beforeAll(async () => {
  environment = await startGrantEnvironment()
})
afterAll(() => environment?.stop())

/** Holds every partitioned table and its partitions in ACCESS SHARE, as pg_dump does, until the function returned is called. */
async function startReader(): Promise<() => Promise<void>> {
  const [reading, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reader = environment.database.transaction(async (tx) => {
    const tables = PARTITIONED.map((table) => `grants.${table}`).join(', ')
    await tx.query({ name: '', text: `LOCK TABLE ${tables} IN ACCESS SHARE MODE` })
    reading.resolve()
    await done.promise
  })
  await Promise.race([reading.promise, reader])
  return async () => {
    done.resolve()
    await reader
  }
}

/** Clients that redeem codes and sign out, each in a loop, until the function returned is called. */
function startTraffic(clients: number) {
  const durations: number[] = []
  const failures: unknown[] = []
  let going = true
  const replica = environment.replica()
  const client = async () => {
    while (going) {
      const { grant, redemption } = environment.newGrant()
      const begun = performance.now()
      try {
        await replica.grants.redeem(redemption, grant)
        await replica.endings.endSessions([{ sid: grant.sid, userId: 'alice' }], new Date(), {})
      } catch (error) {
        failures.push((error as Error).cause ?? error)
      }
      durations.push(performance.now() - begun)
    }
  }
  const running = Array.from({ length: clients }, client)
  return async () => {
    going = false
    await Promise.all(running)
    return { count: durations.length, slowestMs: Math.max(...durations), failures }
  }
}

const round = async (store: PartitionStore, moment: Date) => {
  await store.create(planPartitions(moment))
  await store.drop(planPartitions(moment))
}

describe('beside a reader that began before midnight', () => {
  it('creates the next day and drops expired ones without delaying redemptions', async () => {
    const endReader = await startReader()
    const stopTraffic = startTraffic(8)
    const store = new PartitionStore(environment.database)
    const tomorrow = new Date(Date.now() + DAY_MS)
    await store.create(planStart(tomorrow))
    await round(store, tomorrow)
    await auditTable.settlePartitions(environment.database, tomorrow)
    const { slowestMs, failures } = await stopTraffic()
    const { first } = planPartitions(tomorrow).find(({ table }) => table === 'code_redemption') ?? {
      first: 0,
    }
    const old = () =>
      environment.sql('SELECT to_regclass($1) AS held', [`grants.code_redemption_${first - 1}`])
    expect(await old()).not.toEqual([{ held: null }])
    await endReader()
    await round(store, tomorrow)
    expect(await old()).toEqual([{ held: null }])
    expect(failures).toEqual([])
    // Statements that wait for the reader or for a lock behind it wait 2 s.
    expect(slowestMs).toBeLessThan(1_500)
  }, 60_000)
})

it('changes days and weeks beside 24 clients that redeem and sign out, without a deadlock', async () => {
  const stopTraffic = startTraffic(24)
  const store = new PartitionStore(environment.database)
  const [today] = [Date.now()]
  // The traffic is of today, so what it writes to is kept.
  const kept = planPartitions(new Date(today))
  for (let days = 2; days < 23; days += 1) {
    await store.create(planPartitions(new Date(today + days * DAY_MS)))
    await store.drop(
      kept.map((plan) => ({
        ...plan,
        first: plan.first + (plan.table === 'logout_delivery' ? days % 7 : 0),
      })),
    )
  }
  const { failures } = await stopTraffic()
  expect(failures).toEqual([])
}, 120_000)

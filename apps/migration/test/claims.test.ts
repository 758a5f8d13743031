import { createPool, type Database } from '@signet/postgres/pool'
import { createTestDatabase, type TestDatabase } from '@signet/testkit/postgres-fixture'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrations } from '../src/migrations.ts'
import type { JobStore } from '../src/runs/job-store.ts'
import { PostgresDispatchStore } from '../src/stores/dispatch-store.ts'
import { postgresJobStore } from '../src/stores/job-store.ts'
import { PostgresStagedStore } from '../src/stores/staged-store.ts'

const STALL_SECONDS = 60
const ATTEMPT = {
  caller: { userId: 'alice', kind: 'human', organizationId: 'acme', tokenId: 'token', roles: [] },
  clientAddress: '127.0.0.1',
  action: 'export.start',
  target: { kind: 'job' },
} as const

let server: TestDatabase
let database: Database
let jobs: JobStore
let dispatch: PostgresDispatchStore

beforeAll(async () => {
  server = await createTestDatabase({ migrations: [migrations] })
  database = createPool({ url: server.url('signet_migration'), applicationName: 'test', max: 4 })
  jobs = postgresJobStore(database, STALL_SECONDS)
  dispatch = new PostgresDispatchStore(database, STALL_SECONDS)
  for (const worker of ['one', 'other']) await dispatch.beat(worker)
})
afterAll(async () => {
  await database?.close()
  await server?.drop()
})

let jobId: string
let attempt: number
beforeEach(async () => {
  jobId = crypto.randomUUID()
  await jobs.add({
    id: jobId,
    kind: 'export',
    state: 'queued',
    attempt: ATTEMPT,
    workerId: 'one',
    request: {},
    timeoutMs: 60_000,
  })
  await jobs.start(jobId, 'exporting')
  attempt = (await jobs.find(jobId))?.attempt ?? Number.NaN
})

/** Runs `call` so that it meets a claim that began before it and is committed after it has to wait. */
async function duringClaim<T>(call: () => Promise<T>): Promise<T> {
  let met: Promise<T> | undefined
  await database.transaction(async (tx) => {
    await tx.query({
      name: '',
      text: `UPDATE migration.job SET worker_id = 'one', attempt = attempt + 1 WHERE job_id = $1`,
      values: [jobId],
    })
    met = call()
    let isAnswered = false
    void met.then(() => {
      isAnswered = true
    })
    // Who skips a locked row does not wait at all.
    const waitsOrAnswers = async () => {
      const { rows } = await database.query({ name: '', text: 'SELECT FROM pg_locks WHERE NOT granted' })
      return rows.length > 0 || isAnswered
    }
    await expect.poll(waitsOrAnswers).toBe(true)
  })
  if (met === undefined) throw new Error('nothing was called')
  return met
}

it('a worker that waited for the claim of another does not claim what that one has now', async () => {
  expect(await duringClaim(() => jobs.claim(jobId, 'other', 'exporting'))).toBeUndefined()
  expect(await jobs.find(jobId)).toMatchObject({ attempt: attempt + 1 })
})

it('a worker that comes late does not stage again what another one has staged', async () => {
  await jobs.setPhase(jobId, 'staging')
  expect(await jobs.claim(jobId, 'one', 'staging')).toBe(attempt + 1)
  await jobs.setPhase(jobId, 'validating')
  await jobs.leave(jobId, 'one')
  expect(await jobs.claim(jobId, 'other', 'staging')).toBeUndefined()
  await jobs.finish(jobId, { state: 'succeeded', notes: [] })
})

it('a worker that was silent for too long while it staged neither goes on nor spoils what the next one staged', async () => {
  const staged = new PostgresStagedStore(database, STALL_SECONDS)
  await jobs.setPhase(jobId, 'staging')
  await jobs.claim(jobId, 'one', 'staging')
  expect(await staged.clear(jobId, 'one')).toBe(true)
  expect(await jobs.goesOn(jobId, 'one')).toBe(true)
  await database.query({
    name: '',
    text: `UPDATE migration.worker SET seen_at = now() - interval '1 hour' WHERE worker_id = 'one'`,
  })
  await jobs.claim(jobId, 'other', 'staging')
  await staged.nameOrganization(jobId, 0, 'acme')
  expect(await jobs.goesOn(jobId, 'one')).toBe(false)
  expect(await staged.clear(jobId, 'one')).toBe(false)
  expect(await jobs.passOn(jobId, 'one', 'validating')).toBe(false)
  expect(await jobs.find(jobId)).toMatchObject({ phase: 'staging' })
  const { rowCount } = await database.query({
    name: '',
    text: 'SELECT FROM migration.staged_organization WHERE job_id = $1',
    values: [jobId],
  })
  expect(rowCount).toBe(1)
  expect(await jobs.passOn(jobId, 'other', 'validating')).toBe(true)
  await dispatch.beat('one')
  await jobs.finish(jobId, { state: 'succeeded', notes: [] })
})

it('a job that is being claimed is not abandoned', async () => {
  expect(await duringClaim(() => dispatch.takeAbandoned())).toEqual([])
  expect(await jobs.find(jobId)).toMatchObject({ attempt: attempt + 1 })
})

it.each([
  ['people at once', ['humanUsers', 'humanUsers'], [1, 2]],
  [
    'service users one after the other: the first of them gets a free client id',
    ['machineUsers', 'machineUsers'],
    [1, 'waiting'],
  ],
  [
    'service users after people, whatever comes first: a person gets the id that both ask for',
    ['machineUsers', 'humanUsers'],
    [2, 'waiting'],
  ],
])('DESIGN section 8: batches of %s', async (_, lists, claims) => {
  const staged = new PostgresStagedStore(database, STALL_SECONDS)
  await staged.nameOrganization(jobId, 0, 'acme')
  for (const [index, list] of lists.entries()) {
    const place = {
      batch: index + 1,
      stage: 1,
      ordinal: 0,
      list,
      firstIndex: 0,
      entries: undefined,
      unique: [],
    }
    await staged.add(jobId, { ...place, ids: [`${index}`], sealed: Buffer.alloc(1) })
  }
  const claim = async (worker: string) => {
    const claimed = await staged.claim(jobId, worker)
    return typeof claimed === 'string' ? claimed : claimed.batch
  }
  const first = await claim('one')
  expect([first, await claim('other')]).toEqual(claims)
  await staged.complete(jobId, { batch: Number(first), outcomes: 'c', failures: [], notes: [] })
  if (claims[1] === 'waiting') expect(await claim('other')).toBe(first === 1 ? 2 : 1)
})

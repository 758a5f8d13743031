import { randomBytes } from 'node:crypto'
import type { Database } from '@signet/platform/postgres/pool'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { PostgresStagedBatchRepository } from '../src/import/staged-batch.repository.ts'
import { DocumentRepository } from '../src/jobs/document.repository.ts'
import { createJobRepository } from '../src/jobs/job.repository.ts'
import { withClaim } from '../src/jobs/run-job.ts'
import { createStagedSealer } from '../src/sealing.ts'
import {
  aliceTries,
  database,
  dispatch,
  jobs,
  STALL_SECONDS,
  serveJobDatabase,
  staged,
} from './job-database.ts'

serveJobDatabase()
beforeAll(async () => {
  for (const worker of ['one', 'other']) await dispatch.heartbeat(worker)
})

let jobId: string
let attempt: number
beforeEach(async () => {
  jobId = crypto.randomUUID()
  await jobs.add({
    id: jobId,
    kind: 'export',
    state: 'queued',
    attempt: aliceTries('export.start'),
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
      const { rows } = await database.query({
        name: '',
        // Tests with databases of their own wait on the same server.
        text: `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE NOT granted AND datname = current_database()`,
      })
      return rows.length > 0 || isAnswered
    }
    await expect.poll(waitsOrAnswers).toBe(true)
  })
  if (met === undefined) throw new Error('nothing was called')
  return met
}

it('a worker that waited for the claim of another does not claim the same batch', async () => {
  expect(await duringClaim(() => jobs.claim(jobId, 'other', 'exporting'))).toBeUndefined()
  expect(await jobs.find(jobId)).toMatchObject({ attempt: attempt + 1 })
})

it('a job that is being claimed is not abandoned', async () => {
  let dispatched = 0
  await duringClaim(() =>
    dispatch.dispatchAbandoned(jobId, async () => {
      dispatched += 1
    }),
  )
  expect(dispatched).toBe(0)
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
  [
    'members of projects one after the other: two organizations may repeat one of them',
    ['projectMembers', 'projectMembers'],
    [1, 'waiting'],
  ],
])('batches of %s', async (_, lists, claims) => {
  await staged.nameOrganizations(jobId, [{ ordinal: 0, organizationId: 'acme' }])
  for (const [index, list] of lists.entries()) {
    const place = {
      batch: index + 1,
      stage: 1,
      ordinal: 0,
      list,
      firstIndex: 0,
      entries: undefined,
      indexes: undefined,
      withoutCredentials: false,
      callShare: 1_000,
      unique: [],
    }
    await staged.add(jobId, [{ ...place, ids: [`${index}`], sealed: Buffer.alloc(1) }])
  }
  const claim = async (worker: string) => {
    const claimed = await staged.claim(jobId, worker)
    return typeof claimed === 'string' ? claimed : claimed[0].batch
  }
  const first = await claim('one')
  expect([first, await claim('other')]).toEqual(claims)
  await staged.complete(jobId, [{ batch: Number(first), outcomes: 'c', failures: [], notes: [] }])
  if (claims[1] === 'waiting') expect(await claim('other')).toBe(first === 1 ? 2 : 1)
})

/** Adds batches of these lists and shares in the order of the document. */
async function addBatches(batches: readonly (readonly [list: string, callShare: number])[]): Promise<void> {
  const organizations = batches.map((_, ordinal) => ({ ordinal, organizationId: `org-${ordinal}` }))
  await staged.nameOrganizations(jobId, organizations)
  await staged.add(
    jobId,
    batches.map(([list, callShare], index) => ({
      ...{ batch: index, stage: 1, ordinal: index, list, callShare, firstIndex: 0, unique: [] },
      ...{ entries: undefined, indexes: undefined, withoutCredentials: false },
      ids: [`${index}`],
      sealed: Buffer.from([index]),
    })),
  )
}

async function claimAll(): Promise<readonly (readonly number[])[]> {
  const claims: number[][] = []
  for (;;) {
    const claimed = await staged.claim(jobId, 'one')
    if (typeof claimed === 'string') return claims
    for (const { batch, organizationId, sealed } of claimed) {
      expect([organizationId, sealed?.[0]]).toEqual([`org-${batch}`, batch])
    }
    const numbers = claimed.map(({ batch }) => batch)
    claims.push(numbers)
    await staged.complete(
      jobId,
      numbers.map((batch) => ({ batch, outcomes: 'c', failures: [], notes: [`note ${batch}`] })),
    )
  }
}

it('claims batches of one list together until a call is full', async () => {
  await addBatches([
    ['humanUsers', 400],
    ['projects', 10],
    ['humanUsers', 600],
    ['humanUsers', 1],
    ['machineUsers', 300],
    ['projects', 10],
    ['machineUsers', 300],
  ])
  expect(await claimAll()).toEqual([[0, 2], [1, 5], [3], [4, 6]])
})

it('claims batches of an undo together from the last one on', async () => {
  await addBatches([
    ['humanUsers', 400],
    ['projects', 10],
    ['humanUsers', 600],
    ['humanUsers', 1],
    ['machineUsers', 300],
    ['projects', 10],
    ['machineUsers', 300],
  ])
  const text = `UPDATE migration.job SET kind = 'undo', undo_of = 'import' WHERE job_id = $1`
  await database.query({ name: '', text, values: [jobId] })
  expect(await claimAll()).toEqual([[5, 1], [3, 2], [0], [6, 4]])
})

it('claims at most 100 batches together', async () => {
  await addBatches(Array.from({ length: 230 }, () => ['humanUsers', 1] as const))
  expect((await claimAll()).map(({ length }) => length)).toEqual([100, 100, 30])
  const { notes } = await staged.notes(jobId, 3)
  expect(notes).toEqual(['note 0', 'note 1', 'note 2'])
  const reported: number[] = []
  for await (const { batch } of staged.report(jobId)) reported.push(batch)
  expect(reported).toEqual(Array.from({ length: 230 }, (_, batch) => batch))
})

it('claims batches alone that the version before has staged', async () => {
  await addBatches([
    ['humanUsers', 1],
    ['humanUsers', 1],
  ])
  const text = 'UPDATE migration.staged_batch SET call_share = NULL WHERE job_id = $1'
  await database.query({ name: '', text, values: [jobId] })
  expect(await claimAll()).toEqual([[0], [1]])
})

/** A database whose next transaction is committed and rejects all the same, as when the connection breaks off meanwhile. */
function losingOneResponse(): Database {
  let isLost = false
  return {
    ...database,
    query: (statement) => database.query(statement),
    async transaction(work, options) {
      const result = await database.transaction(work, options)
      if (isLost) return result
      isLost = true
      throw new DependencyUnavailableError('postgres', new Error('the connection broke off'))
    },
  }
}

it('claims batches again when the response to its claim was lost, and no others', async () => {
  await addBatches([
    ['humanUsers', 1_000],
    ['humanUsers', 1_000],
  ])
  const staged = new PostgresStagedBatchRepository(losingOneResponse(), STALL_SECONDS)
  await expect(staged.claim(jobId, 'one')).rejects.toThrow(DependencyUnavailableError)
  const claims = await Promise.all(['one', 'one', 'one'].map((worker) => staged.claim(jobId, worker)))
  const numbers = claims.map((claimed) => (typeof claimed === 'string' ? claimed : claimed[0].batch))
  expect(numbers).toEqual([0, 1, 'waiting'])
})

it('claims a phase of a job again when the response to its claim was lost, and once only', async () => {
  const losing = createJobRepository(losingOneResponse(), STALL_SECONDS)
  const claim = () => losing.claim(jobId, 'one', 'exporting')
  await expect(claim()).rejects.toThrow(DependencyUnavailableError)
  expect(await jobs.claim(jobId, 'other', 'exporting')).toBeUndefined()
  expect(await Promise.all([claim(), claim()])).toEqual([attempt + 2, undefined])
  await losing.leave(jobId, 'one', attempt + 2)
  expect(await jobs.claim(jobId, 'other', 'exporting')).toBe(attempt + 3)
})

it('claims a phase once for entries of one process, whichever reaches the server first', async () => {
  let delay = 0.2
  const slowAtFirst: Database = {
    ...database,
    query: (statement) => database.query(statement),
    async transaction(work, options) {
      const seconds = delay
      delay = 0
      await database.query({ name: '', text: 'SELECT pg_sleep($1)', values: [seconds] })
      return await database.transaction(work, options)
    },
  }
  const entries = createJobRepository(slowAtFirst, STALL_SECONDS)
  const claims = await Promise.all([1, 2, 3].map(() => entries.claim(jobId, 'one', 'exporting')))
  expect(claims.filter((claimed) => claimed !== undefined)).toEqual([attempt + 1])
})

it('an entry whose claim rejects leaves the claim of another entry of its process alone', async () => {
  const losing = losingOneResponse()
  let isAway = false
  const entries = createJobRepository(
    {
      ...losing,
      query: (statement) => database.query(statement),
      transaction: (work, options) =>
        isAway ? losing.transaction(work, options) : database.transaction(work, options),
    },
    STALL_SECONDS,
  )
  const patience = { pause: () => Promise.resolve(), stopping: () => false }
  const claim = { jobId, workerId: 'one', phase: 'exporting' }
  const held = await entries.claim(jobId, 'one', 'exporting')
  isAway = true
  await expect(withClaim(entries, claim, patience, () => Promise.resolve())).rejects.toThrow(
    DependencyUnavailableError,
  )
  expect(await jobs.claim(jobId, 'other', 'exporting')).toBeUndefined()
  expect(await entries.mayContinue(jobId, Number(held))).toBe(true)
})

it('an attempt that was overtaken takes nothing of the document of the later one away', async () => {
  const sealer = createStagedSealer([randomBytes(32)], randomBytes)
  const documents = new DocumentRepository(database, sealer)
  const older = await documents.open(jobId, attempt)
  await older.write(Buffer.from('older'))
  const later = await documents.open(jobId, attempt + 1)
  await later.write(Buffer.from('later'))
  await older.write(Buffer.from('older'))
  await older.abort()
  await jobs.claim(jobId, 'one', 'exporting')
  const read: Buffer[] = []
  for await (const chunk of documents.read(jobId)) read.push(chunk)
  expect(Buffer.concat(read).toString()).toBe('later')
  await jobs.finish(jobId, { state: 'succeeded', notes: [], attempt })
  expect(await jobs.find(jobId)).toMatchObject({ state: 'running' })
})

it('a comparison ends a plan while it has the job and no other worker applies the plan', async () => {
  const error = { code: 'ABORTED', message: 'changed', resumable: false, details: [] } as const
  await addBatches([['humanUsers', 1]])
  await jobs.setPhase(jobId, 'comparing')
  const compared = Number(await jobs.claim(jobId, 'one', 'comparing'))
  expect(await jobs.failBeforeApplying(jobId, compared - 1, error)).toBe(false)
  await staged.claim(jobId, 'other')
  expect(await jobs.failBeforeApplying(jobId, compared, error)).toBe(false)
  await staged.release(jobId, [0], 'other')
  expect(await jobs.failBeforeApplying(jobId, compared, error)).toBe(true)
  expect(await jobs.find(jobId)).toMatchObject({ state: 'failed', error: { message: 'changed' } })
})

it('a worker of a dry run does nothing any more once the plan is applied', async () => {
  await addBatches([['humanUsers', 1]])
  const setRequest = (request: object) =>
    database.query({
      name: '',
      text: 'UPDATE migration.job SET request = $2 WHERE job_id = $1',
      values: [jobId, JSON.stringify(request)],
    })
  await setRequest({ dryRun: true })
  expect(await staged.claim(jobId, 'one', true)).toHaveLength(1)
  await staged.release(jobId, [0], 'one')
  await setRequest({ dryRun: false, appliesPlan: true })
  expect(await staged.claim(jobId, 'one', true)).toBe('stopped')
  const plan = { sealed: Buffer.from('plan'), changes: [] }
  await staged.complete(jobId, [{ batch: 0, outcomes: 'c', failures: [], notes: [], plan }])
  expect(await staged.claim(jobId, 'other', false)).toHaveLength(1)
})

it('a worker of a dry run cannot end the comparison of its plan before it began', async () => {
  const phase = async () => (await jobs.find(jobId))?.phase
  await database.query({
    name: '',
    text: "UPDATE migration.job SET state = 'queued', phase = 'comparing' WHERE job_id = $1",
    values: [jobId],
  })
  await jobs.start(jobId, 'validating')
  expect(await jobs.find(jobId)).toMatchObject({ state: 'queued', phase: 'comparing' })
  await jobs.start(jobId, 'comparing')
  await jobs.setPhase(jobId, 'applying')
  expect(await phase()).toBe('comparing')
  const compared = Number(await jobs.claim(jobId, 'one', 'comparing'))
  expect(await jobs.beginNextPhase(jobId, compared, 'applying')).toBe(true)
  expect(await phase()).toBe('applying')
})

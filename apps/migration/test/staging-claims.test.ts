import { randomBytes } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { createRejectedBatchRepository } from '../src/import/rejected-batch.repository.ts'
import { createRunImport } from '../src/import/run-import.ts'
import type { Staging } from '../src/import/stage-object.ts'
import type { Job } from '../src/jobs/job.ts'
import { createStagedSealer } from '../src/sealing.ts'
import { aliceTries, database, dispatch, jobs, serveJobDatabase, staged } from './job-database.ts'

serveJobDatabase()

/** An import from a storage in the state in which a worker receives it. */
let found: Job
beforeEach(async () => {
  for (const worker of ['one', 'other']) await dispatch.heartbeat(worker)
  const id = crypto.randomUUID()
  await jobs.add({
    ...{ id, kind: 'import', state: 'queued', attempt: aliceTries('import.start'), workerId: 'lost' },
    ...{ request: { storage: 'localInput', onConflict: 'skip', dryRun: false }, timeoutMs: 60_000 },
  })
  const job = await jobs.find(id)
  if (job === undefined) throw new Error('there is no job')
  found = job
})

type StageStored = (job: Job, attempt: number) => Promise<Staging>

/** Runs the found job as a worker; no batch may be applied. */
function work(workerId: string, stageStored: StageStored, batches = staged): Promise<void> {
  const run = createRunImport({
    jobs,
    staged: batches,
    rejected: createRejectedBatchRepository(database),
    sealer: createStagedSealer([randomBytes(32)], randomBytes),
    applyBatches: () => Promise.reject(new Error('applied')),
    markBlocked: async (_id, _calls, results) => results,
    stageStored,
    workerId,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    stopping: () => false,
  })
  return run(found)
}

async function claimed(workerId: string): Promise<number> {
  const attempt = await jobs.claim(found.id, workerId, 'staging')
  if (attempt === undefined) throw new Error(`${workerId} may not stage`)
  return attempt
}

async function stagedOrganizations(): Promise<number> {
  const text = 'SELECT FROM migration.staged_organization WHERE job_id = $1'
  return (await database.query({ name: '', text, values: [found.id] })).rowCount
}

it('a late worker does not stage a document again that another one has staged', async () => {
  await jobs.start(found.id, 'staging')
  const attempt = await claimed('one')
  expect(await jobs.beginNextPhase(found.id, attempt, 'validating')).toBe(true)
  await jobs.leave(found.id, 'one', attempt)
  await work('other', () => Promise.reject(new Error('staged again')))
  expect(await jobs.find(found.id)).toMatchObject({ state: 'running', phase: 'validating' })
})

it.each(['other', 'one'])(
  'a worker that was silent while it staged leaves the job to the attempt after it, by %j',
  async (next) => {
    await work('one', async (job, attempt) => {
      expect(await staged.clear(job.id, attempt)).toBe(true)
      expect(await jobs.mayContinue(job.id, attempt)).toBe(true)
      await database.query({
        name: '',
        text: `UPDATE migration.worker SET seen_at = now() - interval '1 hour' WHERE worker_id = 'one'`,
      })
      await claimed(next)
      await staged.nameOrganizations(job.id, [{ ordinal: 0, organizationId: 'acme' }])
      expect(await jobs.mayContinue(job.id, attempt)).toBe(false)
      expect(await staged.clear(job.id, attempt)).toBe(false)
      return { outcome: 'staged', notes: [] }
    })
    expect(await jobs.find(found.id)).toMatchObject({ state: 'running', phase: 'staging' })
    expect(await stagedOrganizations()).toBe(1)
  },
)

it('one worker validates a document, however long that takes, and the job is not taken for abandoned', async () => {
  await jobs.start(found.id, 'staging')
  const attempt = await claimed('one')
  await jobs.beginNextPhase(found.id, attempt, 'validating')
  await jobs.leave(found.id, 'one', attempt)
  found = { ...found, state: 'running', phase: 'validating' }
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let validations = 0
  const slow = new Proxy(staged, {
    get(target, name) {
      if (name !== 'duplicates') return Reflect.get(target, name, target).bind(target)
      return async () => {
        validations += 1
        begun.resolve()
        await ended.promise
        return []
      }
    },
  })
  const never = () => Promise.reject(new Error('staged again'))
  const first = work('one', never, slow)
  await begun.promise
  const second = work('other', never, slow)
  await database.query({
    name: '',
    text: `UPDATE migration.job SET dispatched_at = now() - interval '1 hour' WHERE job_id = $1`,
    values: [found.id],
  })
  const abandoned = await dispatch.findAbandoned()
  expect(abandoned).not.toContain(found.id)
  ended.resolve()
  await Promise.all([first, second])
  expect(validations).toBe(1)
  expect(await jobs.find(found.id)).toMatchObject({ state: 'succeeded' })
})

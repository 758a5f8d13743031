import { randomBytes } from 'node:crypto'
import { silentLogger } from '@signet/platform/logger/logger'
import type { Database } from '@signet/platform/postgres/pool'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { DispatchRepository } from '../src/jobs/dispatch.repository.ts'
import { DocumentRepository } from '../src/jobs/document.repository.ts'
import { createJobRepository } from '../src/jobs/job.repository.ts'
import { createJobService } from '../src/jobs/job.service.ts'
import { createStagedSealer } from '../src/sealing.ts'
import { aliceTries, LIMITS, openJobDatabase, STALL_SECONDS } from './job-database.ts'

let opened: Awaited<ReturnType<typeof openJobDatabase>>
beforeAll(async () => {
  opened = await openJobDatabase()
})
afterAll(() => opened?.close())

/** When the next transaction, or every one, loses its connection. */
let lost: { before: boolean; after: boolean; everything: boolean }
beforeEach(() => {
  lost = { before: false, after: false, everything: false }
})

const connectionLost = () => new DependencyUnavailableError('postgres', new Error('Connection terminated'))

/** Loses the connection before or after a transaction commits. */
function unreliable(database: Database): Database {
  return {
    ...database,
    async transaction(work, options) {
      if (lost.before || lost.everything) {
        lost.before = false
        throw connectionLost()
      }
      const result = await database.transaction(work, options)
      if (!lost.after) return result
      lost.after = false
      throw connectionLost()
    },
  }
}

const attempt = aliceTries('import.start')
async function staging() {
  const database = unreliable(opened.database)
  const jobs = createJobRepository(database, STALL_SECONDS)
  const sealer = createStagedSealer([randomBytes(32)], randomBytes)
  const dispatched: string[] = []
  const service = createJobService({
    jobs,
    dispatches: new DispatchRepository(database, LIMITS),
    sealer,
    dispatch: async (jobId) => void dispatched.push(jobId),
    documents: new DocumentRepository(database, sealer),
    pause: async () => {},
    now: () => new Date(),
    workerId: 'one',
    newId: () => crypto.randomUUID(),
    logger: silentLogger,
  })
  const jobId = await service.beginImport(attempt)
  const request = { onConflict: 'skip', dryRun: false, ignoreChecksum: false } as const
  const accept = () => service.acceptImport(jobId, attempt, { request, timeoutMs: 60_000, notes: [] })
  return { jobs, jobId, accept, dispatched }
}

it('accepts an import whose commit took effect without a response', async () => {
  const { jobs, jobId, accept, dispatched } = await staging()
  lost.after = true
  await accept()
  expect(await jobs.find(jobId)).toMatchObject({ state: 'queued' })
  expect(dispatched).toEqual([jobId])
})

it('refuses an import whose commit took no effect and leaves no rows of it', async () => {
  const { jobs, jobId, accept, dispatched } = await staging()
  lost.before = true
  await expect(accept()).rejects.toMatchObject({ name: 'DependencyUnavailableError' })
  expect(await jobs.find(jobId)).toBeUndefined()
  expect(dispatched).toEqual([])
})

it('names the job when the outcome cannot be read', async () => {
  const { jobId, accept } = await staging()
  lost.everything = true
  const error = await accept().catch((problem: unknown) => problem)
  expect(error).toMatchObject({
    status: 503,
    reason: 'import_outcome_unknown',
    headers: { 'Retry-After': '5' },
  })
  expect((error as { toResponseBody(): object }).toResponseBody()).toEqual({
    code: 14,
    message: expect.stringContaining(`/admin/v1/jobs/${jobId}`),
    details: [{ id: 'import_outcome_unknown', jobId }],
  })
})

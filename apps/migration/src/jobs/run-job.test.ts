import { silentLogger } from '@signet/platform/logger/logger'
import { expect, it } from 'vitest'
import { MasterKeyUnknownError } from '../sealing.ts'
import { ObjectStorageError } from '../storage/storage-error.ts'
import type { Job, JobError, JobRepository } from './job.ts'
import { createRunJob } from './run-job.ts'

const lost = new ObjectStorageError({
  reason: 'upload_lost',
  place: { service: 'Google Cloud Storage', bucket: 'exports', object: 'a.json' },
  rule: 'the service lost the upload; it has to begin again',
})

/** Runs an export that loses so many uploads before one is whole. */
async function runWith(losses: number, thrown: Error = lost) {
  const failures: JobError[] = []
  let runs = 0
  const jobs = {
    find: async () => ({ id: 'job', kind: 'export', state: 'running' }) as Job,
    checkDeadline: async () => true,
    fail: async (_: string, error: JobError) => void failures.push(error),
  } as unknown as JobRepository
  const exporting = async () => {
    runs += 1
    if (runs <= losses) throw thrown
  }
  const run = createRunJob({
    jobs,
    dispatches: { deleteExpired: async () => undefined },
    run: { export: exporting, import: exporting, undo: exporting },
    count: () => undefined,
    pause: async () => undefined,
    logger: silentLogger,
    stopping: () => false,
  })
  await run('job')
  return { runs, failures }
}

it('writes the document again when the storage lost its upload', async () => {
  expect(await runWith(3)).toEqual({ runs: 4, failures: [] })
})

it('fails, resumable, when the storage loses every upload', async () => {
  const { runs, failures } = await runWith(100)
  expect(runs).toBe(4)
  expect(failures).toMatchObject([
    { code: 'FAILED_PRECONDITION', resumable: true, details: [{ id: 'upload_lost' }] },
  ])
})

it.each(['SIGNET_MIGRATION_MASTER_KEY', 'SIGNET_DIRECTORY_MASTER_KEY'] as const)(
  'fails, resumable, with the name of %s when that lost a key',
  async (setting) => {
    const { runs, failures } = await runWith(1, new MasterKeyUnknownError(setting))
    expect(runs).toBe(1)
    expect(failures).toMatchObject([
      {
        code: 'FAILED_PRECONDITION',
        resumable: true,
        message: expect.stringContaining(`${setting} no longer lists`),
        details: [{ id: 'master_key_unknown', setting }],
      },
    ])
  },
)

import { randomBytes } from 'node:crypto'
import { DocumentReader } from '@signet/file-formats/export/document-reader'
import type { Database } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRejectedBatchRepository } from '../src/import/rejected-batch.repository.ts'
import { createStager } from '../src/import/stage-document.ts'
import { PostgresStagedBatchRepository } from '../src/import/staged-batch.repository.ts'
import { createJobRepository } from '../src/jobs/job.repository.ts'
import { createStagedSealer } from '../src/sealing.ts'
import { aliceTries, openJobDatabase, STALL_SECONDS } from './job-database.ts'

let opened: Awaited<ReturnType<typeof openJobDatabase>>
let database: Database
beforeAll(async () => {
  opened = await openJobDatabase()
  database = opened.database
})
afterAll(() => opened?.close())

const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'

/** How many records each batch of a document with this list holds, in order. */
async function batchesOf(list: string, records: readonly object[]): Promise<readonly number[]> {
  const jobId = crypto.randomUUID()
  await createJobRepository(database, STALL_SECONDS).add({
    ...{ id: jobId, kind: 'import', state: 'staging', attempt: aliceTries('import.start'), workerId: 'one' },
    ...{ request: {}, timeoutMs: 60_000 },
  })
  const sealer = createStagedSealer([randomBytes(32)], randomBytes)
  const staged = new PostgresStagedBatchRepository(database, STALL_SECONDS)
  const stager = createStager(jobId, { staged, rejected: createRejectedBatchRepository(database), sealer })
  const reader = new DocumentReader(stager.sink)
  reader.write(
    Buffer.from(JSON.stringify({ orgs: [{ orgId: 'acme', org: { name: 'ACME' }, [list]: records }] })),
  )
  reader.end()
  expect((await stager.finish()).invalid.problems).toEqual([])
  const { rows } = await database.query<{ record_count: number }>({
    name: '',
    text: 'SELECT record_count FROM migration.staged_batch WHERE job_id = $1 AND list = $2 ORDER BY batch',
    values: [jobId, list],
  })
  return rows.map(({ record_count }) => record_count)
}

const people = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => {
    const userId = crypto.randomUUID()
    return {
      userId,
      user: { userName: userId, profile: { firstName: 'Given', lastName: 'Family' }, ...more },
    }
  })
const toBeHashed = { password: 'Secret-123' }
const hashed = { hashedPassword: { value: HASH } }

it.each([
  ['2,000 without a password', people(2_001), [2_000, 1]],
  ['2,000 with a hash', people(2_001, hashed), [2_000, 1]],
  ['500 whose password is to be hashed', people(501, toBeHashed), [500, 1]],
  ['500 of these among others', [...people(1_200), ...people(500, toBeHashed), ...people(1)], [1_700, 1]],
  ['2,000, whatever their password, where there is a hash', people(600, { ...toBeHashed, ...hashed }), [600]],
])('a batch of people is full with %s', async (_, records, batches) => {
  expect(await batchesOf('humanUsers', records)).toEqual(batches)
})

it('a batch is full with a mebibyte', async () => {
  const value = Buffer.alloc(75_000).toString('base64')
  const records = Array.from({ length: 12 }, (_, index) => ({ id: 'alice', key: `key-${index}`, value }))
  expect(await batchesOf('userMetadata', records)).toEqual([11, 1])
})

import { expect, it } from 'vitest'
import { aliceTries, database, dispatch, jobs, serveJobDatabase, staged } from './job-database.ts'

serveJobDatabase()

const HOUR = 3_600
const DAY = 24 * HOUR

/** An import of one record whose dry run planned a key. */
async function startImport(request: object = {}): Promise<string> {
  const id = crypto.randomUUID()
  await jobs.add({
    id,
    kind: 'import',
    state: 'queued',
    attempt: aliceTries('import.start'),
    workerId: 'one',
    request: { ...request },
    timeoutMs: 60_000,
    sealedLocation: Buffer.from('credentials'),
  })
  await jobs.start(id, 'applying')
  await staged.nameOrganizations(id, [{ ordinal: 0, organizationId: 'acme' }])
  await staged.add(id, [
    {
      batch: 1,
      stage: 1,
      ordinal: 0,
      list: 'humanUsers',
      firstIndex: 0,
      ids: ['alice'],
      entries: undefined,
      indexes: undefined,
      withoutCredentials: false,
      callShare: 1,
      unique: [{ key: 'user/alice', at: 0 }],
      sealed: Buffer.from('record'),
    },
  ])
  await staged.planKeys(id)
  return id
}

type End = 'succeeded' | 'partial' | 'cancelled' | 'failed' | 'failed for good'

async function end(id: string, how: End): Promise<void> {
  if (how === 'succeeded' || how === 'partial') await jobs.finish(id, { state: how, notes: [] })
  else if (how === 'cancelled') await jobs.requestStop({ id, kind: 'import' }, aliceTries('import.cancel'))
  else await jobs.fail(id, { code: 'INTERNAL', message: 'x', details: [], resumable: how === 'failed' })
}

/** Moves the end of a job into the past. */
const endedAgo = (id: string, seconds: number) =>
  database.query({
    name: '',
    text: `UPDATE migration.job SET ended_at = now() - $2 * interval '1 s' WHERE job_id = $1`,
    values: [id, seconds],
  })

/** How many rows a job has, and how many of them hold what only a resumed run reads. */
async function rowsOf(id: string) {
  const { rows } = await database.query({
    name: '',
    text: `SELECT (SELECT count(*)::int FROM migration.job WHERE job_id = $1) AS job,
                  (SELECT count(*)::int FROM migration.staged_batch WHERE job_id = $1) AS batches,
                  (SELECT count(*)::int FROM migration.staged_batch
                    WHERE job_id = $1 AND sealed IS NOT NULL AND unique_keys <> '{}') AS resumable,
                  (SELECT count(*)::int FROM migration.staged_key WHERE job_id = $1) AS keys,
                  (SELECT count(*)::int FROM migration.job
                    WHERE job_id = $1 AND sealed_credentials IS NOT NULL) AS credentials`,
    values: [id],
  })
  return rows[0]
}

const EVERYTHING = { job: 1, batches: 1, resumable: 1, keys: 1, credentials: 1 }
const RESULT_ONLY = { job: 1, batches: 1, resumable: 0, keys: 0, credentials: 0 }
const NOTHING = { job: 0, batches: 0, resumable: 0, keys: 0, credentials: 0 }

it.each<[End, number, object]>([
  ['succeeded', 0, RESULT_ONLY],
  ['partial', 0, RESULT_ONLY],
  ['failed for good', 0, RESULT_ONLY],
  ['failed', DAY - 60, EVERYTHING],
  ['cancelled', DAY - 60, EVERYTHING],
  ['failed', DAY + 60, RESULT_ONLY],
  ['cancelled', DAY + 60, RESULT_ONLY],
  ['succeeded', 30 * DAY - 60, RESULT_ONLY],
  ['succeeded', 30 * DAY + 60, NOTHING],
  ['cancelled', 30 * DAY + 60, NOTHING],
])(
  'keeps of a job that ended (%s) %i seconds ago only data that can still be used',
  async (how, seconds, left) => {
    const id = await startImport()
    await end(id, how)
    await endedAgo(id, seconds)
    await dispatch.deleteExpired()
    expect(await rowsOf(id)).toEqual(left)
  },
)

const PLAN = { ...EVERYTHING, credentials: 0 }

it.each<[number, object]>([
  [0, PLAN],
  [DAY - 60, PLAN],
  [DAY + 60, RESULT_ONLY],
  [30 * DAY + 60, NOTHING],
])(
  'keeps the records of a dry run that ended %i seconds ago for a day, without credentials',
  async (seconds, left) => {
    const id = await startImport({ dryRun: true })
    const plan = { sealed: Buffer.from('plan'), changes: [] }
    await staged.complete(id, [{ batch: 1, outcomes: 'c', failures: [], notes: [], plan }])
    await end(id, 'succeeded')
    await endedAgo(id, seconds)
    await dispatch.deleteExpired()
    expect(await rowsOf(id)).toEqual(left)
    const attempt = await jobs.applyPlan({ id, kind: 'import' }, aliceTries('import.apply'))
    expect(attempt).toBe(left === PLAN ? 2 : undefined)
  },
)

it('does not apply a dry run whose batches have no plan, as those of an earlier version', async () => {
  const id = await startImport({ dryRun: true })
  await end(id, 'succeeded')
  expect(await jobs.applyPlan({ id, kind: 'import' }, aliceTries('import.apply'))).toBeUndefined()
})

it('never deletes data of a job that has not ended', async () => {
  const id = await startImport()
  await database.query({
    name: '',
    text: `UPDATE migration.job SET created_at = now() - interval '400 days' WHERE job_id = $1`,
    values: [id],
  })
  await dispatch.deleteExpired()
  expect(await rowsOf(id)).toEqual(EVERYTHING)
})

it('deletes the rest in later rounds when many jobs expire at once', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => startImport()))
  for (const id of ids) {
    await end(id, 'succeeded')
    await endedAgo(id, 31 * DAY)
  }
  for (let round = 0; round < 3; round += 1) await dispatch.deleteExpired()
  expect(await Promise.all(ids.map(rowsOf))).toEqual(ids.map(() => NOTHING))
})

it('a resumed job that ends again has its data deleted after the second end', async () => {
  const id = await startImport()
  await end(id, 'failed')
  expect(await jobs.resume({ id, kind: 'import' }, aliceTries('import.resume'))).toBe(2)
  await jobs.start(id, 'applying')
  await dispatch.deleteExpired()
  expect(await rowsOf(id)).toEqual(EVERYTHING)
  await end(id, 'succeeded')
  await dispatch.deleteExpired()
  expect(await rowsOf(id)).toEqual(RESULT_ONLY)
})

it('a job cannot be resumed once its data is deleted', async () => {
  const id = await startImport()
  await end(id, 'failed')
  await endedAgo(id, DAY + 60)
  await dispatch.deleteExpired()
  expect(await jobs.resume({ id, kind: 'import' }, aliceTries('import.resume'))).toBeUndefined()
})

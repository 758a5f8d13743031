import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createClearDeletedUsers } from '../src/jobs/deleted-users.ts'
import { LeftOutListRepository } from '../src/jobs/left-out-list.repository.ts'
import { createStagedSealer } from '../src/sealing.ts'
import { aliceTries, database, jobs, serveJobDatabase, staged } from './job-database.ts'

serveJobDatabase()

const query = (text: string, ...values: unknown[]) => database.query({ name: '', text, values })

/** An import that names people in every place of a job, ended this many minutes ago. */
async function importOf(minutes: number): Promise<string> {
  const id = crypto.randomUUID()
  await jobs.add({
    id,
    kind: 'import',
    state: 'queued',
    attempt: aliceTries('import.start'),
    workerId: 'one',
    request: {},
    timeoutMs: 60_000,
  })
  await jobs.start(id, 'applying')
  await staged.nameOrganizations(id, [{ ordinal: 0, organizationId: 'acme' }])
  const add = (batch: number, list: string, ids: readonly string[], entries?: readonly unknown[]) =>
    staged.add(id, [
      {
        batch,
        stage: batch,
        ordinal: 0,
        list,
        firstIndex: 0,
        ids,
        entries,
        indexes: undefined,
        withoutCredentials: false,
        callShare: 1,
        unique: ids.map((one, at) => ({ key: `${list}/${one}`, at })),
        sealed: Buffer.from('records'),
      },
    ])
  await add(1, 'humanUsers', ['did:web:ann', 'ben'])
  await add(
    2,
    'userGrants',
    ['project_did:web:ann', 'project_ben'],
    ['did:web:ann', 'ben'].map((userId) => ({ userId, projectId: 'project' })),
  )
  const failures = [0, 1].map((index) => ({ index, message: `failed ${index}` }))
  const notes = ['user did:web:ann: a role grants nothing', 'user ben: a role grants nothing']
  for (const batch of [1, 2]) await staged.complete(id, [{ batch, outcomes: 'ff', failures, notes }])
  const problems = ['did:web:ann', 'ben', 'project_did:web:ann', 'did:web:ann_key'].map((one, index) => ({
    index,
    id: one,
    problems: [],
  }))
  await query(
    `INSERT INTO migration.rejected_batch (job_id, batch, ordinal, list, record_count, problems, credentials_only)
     VALUES ($1, 1, 0, 'humanUsers', 2, $2, false)`,
    id,
    JSON.stringify(problems),
  )
  const details = ['did:web:ann', 'ben', 'a_project_did:web:ann'].map((recordId) => ({
    id: 'plan_outdated',
    recordId,
  }))
  await jobs.setNotes(id, [...notes, 'not exported: the instance role of user did:web:ann'])
  await jobs.fail(id, { code: 'ABORTED', message: 'x', resumable: false, details })
  await query(
    `UPDATE migration.job SET cleared_at = now() - $2 * interval '1 minute' WHERE job_id = $1`,
    id,
    minutes,
  )
  return id
}

/** Returns all rows of a job as text. */
async function textOf(id: string): Promise<string> {
  const { rows } = await query(
    `SELECT to_jsonb(j) - 'created_by' AS job,
            (SELECT jsonb_agg(to_jsonb(b)) FROM migration.staged_batch b WHERE b.job_id = j.job_id) AS batches,
            (SELECT jsonb_agg(to_jsonb(r)) FROM migration.rejected_batch r WHERE r.job_id = j.job_id) AS rejects
       FROM migration.job j WHERE job_id = $1`,
    id,
  )
  return JSON.stringify(rows)
}

it('takes users who were deleted out of every part of a job, and leaves the others', async () => {
  const id = await importOf(61)
  const asked: string[] = []
  await createClearDeletedUsers(database, async (ids) => {
    asked.push(...ids)
    return ids.filter((one) => one === 'did:web:ann')
  })()
  const text = await textOf(id)
  expect(text).not.toContain('did:web:ann')
  expect(text.match(/ben/g)?.length).toBeGreaterThan(8)
  expect(asked).toContain('ben')
  const { value: batch } = await staged.report(id)[Symbol.asyncIterator]().next()
  expect(batch).toMatchObject({
    ids: ['(deleted)', 'ben'],
    outcomes: 'ff',
    failures: [{ index: 1, message: 'failed 1' }],
  })
})

const ENTRIES = [
  { effect: 'claims', about: 'application', what: 'clients[].protocolMappers', record: 'portal' },
  { effect: 'sign-in', about: 'person', what: 'users[].credentials[]', record: 'did:web:ann' },
] as const

it('deletes what the list of a conversion says about people when one of them is deleted, and keeps no more of it', async () => {
  const lists = new LeftOutListRepository(database, createStagedSealer([randomBytes(32)], randomBytes))
  const [id, untouched] = [await importOf(61), await importOf(61)]
  for (const job of [id, untouched]) await lists.store(job, { entries: ENTRIES, omitted: 0 })
  await createClearDeletedUsers(database, async () => [])()
  expect((await lists.find(untouched)).entries).toEqual(ENTRIES)
  await query(`UPDATE migration.job SET cleared_at = now() - interval '2 hours' WHERE job_id = $1`, id)
  await createClearDeletedUsers(database, async (ids) => ids.filter((one) => one === 'did:web:ann'))()
  expect((await lists.find(id)).entries).toEqual(ENTRIES.slice(0, 1))
  await lists.store(id, { entries: ENTRIES, omitted: 0 })
  expect((await lists.find(id)).entries).toEqual(ENTRIES.slice(0, 1))
  expect((await lists.find(untouched)).entries).toEqual(ENTRIES)
})

it('leaves no two records under one unique key', async () => {
  const id = await importOf(61)
  await createClearDeletedUsers(database, async (ids) => ids)()
  expect(await staged.duplicates(id, 10)).toEqual([])
})

it.each(['urn:a:', 'urn:a::b', 'urn::b:', 'a|b'])('takes the user %s out of the notes', async (user) => {
  const id = await importOf(61)
  const notes = [`user ${user}: a role grants nothing`, `the instance role of user ${user}`]
  await query('UPDATE migration.job SET notes = $2 WHERE job_id = $1', id, notes)
  await createClearDeletedUsers(database, async (ids) => ids.filter((one) => one === user))()
  expect(await textOf(id)).toContain(
    '"notes":["user (deleted): a role grants nothing","the instance role of user (deleted)"]',
  )
})

it('changes no job that was resumed meanwhile', async () => {
  const id = await importOf(61)
  await createClearDeletedUsers(database, async (ids) => {
    await query(`UPDATE migration.job SET state = 'queued', ended_at = NULL WHERE job_id = $1`, id)
    return ids
  })()
  const text = await textOf(id)
  expect(text).toContain('did:web:ann')
  expect(text).not.toContain('(deleted)')
})

it('looks at a job once in an hour, and not before it has ended', async () => {
  const [late, running] = [await importOf(59), await importOf(61)]
  await query(`UPDATE migration.job SET state = 'running', ended_at = NULL WHERE job_id = $1`, running)
  const clear = createClearDeletedUsers(database, async (ids) => ids)
  await clear()
  expect(await textOf(late)).toContain('did:web:ann')
  expect(await textOf(running)).toContain('did:web:ann')
  await query(`UPDATE migration.job SET cleared_at = now() - interval '61 minutes' WHERE job_id = $1`, late)
  await clear()
  expect(await textOf(late)).not.toMatch(/did:web:ann|ben/)
})

it('looks at the job again when the directory was unavailable', async () => {
  const id = await importOf(61)
  const broken = createClearDeletedUsers(database, () => Promise.reject(new Error('unavailable')))
  await expect(broken()).rejects.toThrow('unavailable')
  await createClearDeletedUsers(database, async (ids) => ids)()
  expect(await textOf(id)).not.toContain('did:web:ann')
})

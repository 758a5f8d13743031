import { beforeEach, describe, expect, it } from 'vitest'
import { MOST_LOST_WORKERS } from '../src/jobs/set-aside.ts'
import { type ClaimedBatch, WHOLE_CALL } from '../src/jobs/staged-batch.ts'
import { aliceTries, database, dispatch, jobs, serveJobDatabase, staged } from './job-database.ts'

serveJobDatabase()

const query = (text: string, ...values: unknown[]) => database.query({ name: '', text, values })

let jobId: string
beforeEach(async () => {
  jobId = crypto.randomUUID()
  await addImport()
})

/** A running job with three batches of two people each. */
async function addImport(callShare = WHOLE_CALL): Promise<void> {
  await jobs.add({
    ...{ id: jobId, kind: 'import', state: 'queued', workerId: 'api', timeoutMs: 60_000 },
    ...{ attempt: aliceTries('import.start'), request: { onConflict: 'skip', dryRun: false } },
  })
  await jobs.start(jobId, 'applying')
  await staged.nameOrganizations(jobId, [{ ordinal: 0, organizationId: 'acme' }])
  for (const batch of [0, 1, 2]) {
    await staged.add(jobId, [
      {
        ...{ batch, stage: 1, ordinal: 0, list: 'humanUsers', firstIndex: batch * 2, entries: undefined },
        ...{ indexes: undefined, withoutCredentials: false, unique: [], sealed: Buffer.alloc(1) },
        ...{ ids: [`${batch}-a`, `${batch}-b`], callShare },
      },
    ])
  }
}

async function claimGroup(worker: string): Promise<readonly [ClaimedBatch, ...ClaimedBatch[]]> {
  await dispatch.heartbeat(worker)
  const claimed = await staged.claim(jobId, worker)
  if (typeof claimed === 'string') throw new Error(`nothing to claim: ${claimed}`)
  return claimed
}

async function claim(worker: string): Promise<ClaimedBatch> {
  return (await claimGroup(worker))[0]
}

/** The worker is not heard of any more. */
const lose = (worker: string) =>
  query(`UPDATE migration.worker SET seen_at = now() - interval '10 min' WHERE worker_id = $1`, worker)

/** Claims batch 0 with one worker after the other, each of which is lost. */
async function loseWorkers(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const worker = crypto.randomUUID()
    expect((await claim(worker)).batch).toBe(0)
    await lose(worker)
  }
}

describe('a batch whose worker was lost', () => {
  it('counts each lost worker', async () => {
    for (const lost of [0, 1, 2, 3]) {
      const worker = crypto.randomUUID()
      expect(await claim(worker)).toMatchObject({ batch: 0, lostWorkers: lost })
      await lose(worker)
    }
  })

  it('counts no worker that gave it back', async () => {
    for (const worker of ['given-1', 'given-2']) {
      expect(await claim(worker)).toMatchObject({ batch: 0, lostWorkers: 0 })
      await staged.release(jobId, [0], worker)
      await lose(worker)
    }
  })

  it('counts no worker that was stopping', async () => {
    await claim('stopping')
    await dispatch.announceStop('stopping')
    await lose('stopping')
    expect(await claim('next')).toMatchObject({ batch: 0, lostWorkers: 0 })
  })

  it('counts no worker of which a restored database knows nothing', async () => {
    await claim('restored')
    await query('DELETE FROM migration.worker WHERE worker_id = $1', 'restored')
    expect(await claim('after')).toMatchObject({ batch: 0, lostWorkers: 0 })
  })

  it('counts no worker that only lost PostgreSQL, as soon as it is heard of', async () => {
    await claim('paused')
    await lose('paused')
    expect(await claim('impatient')).toMatchObject({ batch: 0, lostWorkers: 1 })
    // The worker waited for PostgreSQL, and gives back what it could not apply.
    await dispatch.heartbeat('paused')
    await staged.release(jobId, [0], 'paused')
    await lose('impatient')
    expect(await claim('third')).toMatchObject({ batch: 0, lostWorkers: 1 })
    expect((await claim('paused')).batch).toBe(1)
  })

  it('is tried with no other such batch by the same worker', async () => {
    expect([(await claim('one')).batch, (await claim('one')).batch]).toEqual([0, 1])
    await lose('one')
    expect(await claim('two')).toMatchObject({ batch: 0, lostWorkers: 1 })
    // Batch 1 has lost a worker, too: it waits for another worker, or for the end of batch 0.
    expect((await claim('two')).batch).toBe(2)
    expect(await staged.claim(jobId, 'two')).toBe('waiting')
    expect(await claim('three')).toMatchObject({ batch: 1, lostWorkers: 1 })
    await staged.complete(jobId, [{ batch: 0, outcomes: 'cc', failures: [], notes: [] }])
    await lose('three')
    expect(await claim('two')).toMatchObject({ batch: 1, lostWorkers: 2 })
  })
})

describe('small batches that were claimed together', () => {
  beforeEach(async () => {
    jobId = crypto.randomUUID()
    await addImport(10)
  })
  const numbersOf = (claimed: readonly ClaimedBatch[]) => claimed.map(({ batch }) => batch)

  it('are claimed one by one after their worker was lost', async () => {
    expect(numbersOf(await claimGroup('group-1'))).toEqual([0, 1, 2])
    await lose('group-1')
    expect(await claimGroup('group-2')).toMatchObject([{ batch: 0, lostWorkers: 1 }])
    expect(await staged.claim(jobId, 'group-2')).toBe('waiting')
    expect(await claimGroup('group-3')).toMatchObject([{ batch: 1, lostWorkers: 1 }])
    await staged.complete(jobId, [{ batch: 0, outcomes: 'cc', failures: [], notes: [] }])
    expect(await claimGroup('group-2')).toMatchObject([{ batch: 2, lostWorkers: 1 }])
  })

  it('are claimed together again when the worker gave them back', async () => {
    expect(numbersOf(await claimGroup('group-1'))).toEqual([0, 1, 2])
    await staged.release(jobId, [0, 1, 2], 'group-1')
    expect(numbersOf(await claimGroup('group-2'))).toEqual([0, 1, 2])
  })

  it.each([
    ['lost a worker', `lost_workers = '{lost}'`],
    ['is claimed', `claimed_by = 'lost'`],
  ])('end before one that %s', async (_, change) => {
    await query(`UPDATE migration.staged_batch SET ${change} WHERE job_id = $1 AND batch = 1`, jobId)
    expect(numbersOf(await claimGroup('group-1'))).toEqual([0])
  })
})

describe('a batch that is set aside', () => {
  async function setAside(): Promise<void> {
    await loseWorkers(MOST_LOST_WORKERS)
    const claimed = await claim('last')
    expect(claimed.lostWorkers).toBe(MOST_LOST_WORKERS)
    await staged.setAside(jobId, claimed, 'import')
    for (const batch of [1, 2]) {
      await claim('last')
      await staged.complete(jobId, [{ batch, outcomes: 'cc', failures: [], notes: [] }])
    }
    expect(await staged.claim(jobId, 'last')).toBe('done')
    const { notes } = await staged.notes(jobId, 10)
    await jobs.finish(jobId, { state: 'partial', notes: [...notes, 'another note'] })
  }

  it('fails its records with the rule, and the note names them', async () => {
    await setAside()
    const rule = 'the worker ended three times while it wrote these records'
    expect(await jobs.find(jobId)).toMatchObject({
      state: 'partial',
      counts: { total: 6, done: 6, created: 4, failed: 2 },
      resumable: true,
      notes: [
        `set aside: humanUsers[0] to humanUsers[1] of organization acme: ${rule}; signet jobs resume tries them again`,
        'another note',
      ],
    })
    for await (const { batch, failures } of staged.report(jobId)) {
      expect(failures).toEqual(
        batch === 0
          ? [
              { index: 0, message: rule },
              { index: 1, message: rule },
            ]
          : null,
      )
    }
  })

  it('keeps its records for a day, and is tried again by a resume', async () => {
    await setAside()
    await dispatch.deleteExpired()
    expect(await jobs.resume({ id: jobId, kind: 'import' }, aliceTries('job.resume'))).toBeDefined()
    expect(await jobs.find(jobId)).toMatchObject({ state: 'queued', notes: ['another note'] })
    await jobs.start(jobId, 'applying')
    expect(await claim('again')).toMatchObject({ batch: 0, lostWorkers: 0, sealed: expect.any(Buffer) })
    await staged.complete(jobId, [{ batch: 0, outcomes: 'cc', failures: [], notes: [] }])
    expect(await staged.claim(jobId, 'again')).toBe('done')
    await jobs.finish(jobId, { state: 'succeeded', notes: [] })
    expect(await jobs.find(jobId)).toMatchObject({ counts: { created: 6, failed: 0 }, resumable: false })
  })

  it('is deleted a day after the end of the job', async () => {
    await setAside()
    await query(`UPDATE migration.job SET ended_at = now() - interval '25 hours' WHERE job_id = $1`, jobId)
    await dispatch.deleteExpired()
    expect(await jobs.resume({ id: jobId, kind: 'import' }, aliceTries('job.resume'))).toBeUndefined()
    const { rows } = await query(
      'SELECT FROM migration.staged_batch WHERE job_id = $1 AND sealed IS NOT NULL',
      jobId,
    )
    expect(rows).toEqual([])
  })

  it('belongs to an undo: whether it is written is not known', async () => {
    await setAside()
    const undo = { id: crypto.randomUUID(), importId: jobId, force: false, timeoutMs: 60_000 }
    expect(await jobs.addUndo(undo, aliceTries('import.undo'))).toBe(true)
    const { rows } = await query(
      'SELECT batch FROM migration.staged_batch WHERE job_id = $1 ORDER BY batch',
      undo.id,
    )
    expect(rows).toEqual([{ batch: 0 }, { batch: 1 }, { batch: 2 }])
    expect(await jobs.resume({ id: jobId, kind: 'import' }, aliceTries('job.resume'))).toBeUndefined()
  })

  it('keeps the outcome of a worker that was not lost and ends first', async () => {
    await loseWorkers(MOST_LOST_WORKERS)
    const claimed = await claim('last')
    await staged.complete(jobId, [{ batch: 0, outcomes: 'cc', failures: [], notes: [] }])
    await staged.setAside(jobId, claimed, 'import')
    expect(await jobs.find(jobId)).toMatchObject({ counts: { created: 2, failed: 0 } })
  })
})

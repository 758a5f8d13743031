import { silentLogger } from '@signet/platform/logger/logger'
import { systemClock } from '@signet/platform/runtime/clock'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { DispatchRepository } from '../src/jobs/dispatch.repository.ts'
import { createReconcile, startReconciler } from '../src/jobs/reconciler.ts'
import { aliceTries, database, dispatch, jobs, LIMITS, serveJobDatabase } from './job-database.ts'

serveJobDatabase()
beforeEach(async () => {
  await database.query({ name: '', text: 'DELETE FROM migration.job' })
})

async function addJobs(count: number, timeoutMs = 60_000): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  for (const id of ids) {
    await jobs.add({
      ...{ id, kind: 'export', state: 'queued', workerId: 'api', request: {}, timeoutMs },
      attempt: aliceTries('export.start'),
    })
  }
  return ids
}

const options = { logger: silentLogger, stopping: () => false }
const fails = () => Promise.reject(new Error('not now'))

it('queues every waiting job in the round after the queue was away', async () => {
  const ids = await addJobs(6)
  const sent = new Set<string>()
  let calls = 0
  const reconciler = startReconciler({
    ...{ jobs, dispatches: dispatch, everyMs: 5, now: systemClock, ...options },
    clearDeletedUsers: async () => undefined,
    async dispatch(jobId) {
      calls += 1
      if (calls === 1) await fails()
      sent.add(jobId)
    },
  })
  await expect.poll(() => sent.size).toBe(ids.length)
  await reconciler.stop()
  expect(calls).toBe(ids.length + 1)
})

it('ends a queued job at its deadline, although the queue has it', async () => {
  const [late = '', other = ''] = await addJobs(2)
  const reconcile = createReconcile({
    jobs,
    dispatches: dispatch,
    dispatch: async () => undefined,
    ...options,
  })
  await reconcile()
  await database.query({
    name: '',
    text: `UPDATE migration.job SET deadline_at = now() - interval '1 s' WHERE job_id = $1`,
    values: [late],
  })
  await reconcile()
  expect(await jobs.find(late)).toMatchObject({ state: 'timed_out' })
  expect(await jobs.find(other)).toMatchObject({ state: 'queued' })
})

it('runs the deletions after one that fails', async () => {
  await addJobs(1)
  await database.query({
    name: '',
    text: `UPDATE migration.job SET state = 'failed', ended_at = now() - interval '31 days'`,
  })
  const broken = new DispatchRepository(
    {
      ...database,
      transaction: (work, options) =>
        database.transaction(
          (tx) =>
            work(
              watchedTransaction(
                {
                  query: (statement) =>
                    statement.name === 'document.delete_expired' ? fails() : tx.query(statement),
                },
                tx,
              ),
            ),
          options,
        ),
    },
    LIMITS,
  )
  await expect(broken.deleteExpired()).rejects.toThrow('not now')
  expect(await jobs.list(undefined, 10)).toEqual([])
})

/** How a call fails: before it has an effect, or after it when its response is lost. */
type Fault = 'before' | 'after' | undefined

const anyFault = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom<Fault>('before', 'after') },
)

/** Lets each call fail as the next fault says; none fails after the last fault. */
function faulty(faults: Fault[]) {
  return async <T>(call: () => Promise<T>): Promise<T> => {
    const fault = faults.shift()
    if (fault === 'before') await fails()
    const result = await call()
    if (fault === 'after') await fails()
    return result
  }
}

it('loses and delays no job, whichever calls of its rounds fail', async () => {
  const anyRounds = fc.array(fc.array(anyFault, { maxLength: 20 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), anyRounds, async (count, rounds) => {
      await database.query({ name: '', text: 'DELETE FROM migration.job' })
      const ids = await addJobs(count)
      const poisoned = ids[0]
      const sent = new Map<string, number>()
      const cleanups = { removeLost: 0, deleteExpired: 0 }
      let fail = faulty([])
      class FailingDispatches extends DispatchRepository {
        override findOverdue() {
          return fail(() => super.findOverdue())
        }
        override findAbandoned() {
          return fail(() => super.findAbandoned())
        }
        override dispatchAbandoned(...call: Parameters<DispatchRepository['dispatchAbandoned']>) {
          return fail(() => super.dispatchAbandoned(...call))
        }
        override async removeLost() {
          cleanups.removeLost += 1
          await fail(() => super.removeLost())
        }
        override async deleteExpired() {
          cleanups.deleteExpired += 1
          await fail(() => super.deleteExpired())
        }
      }
      let isPoisoned = true
      const reconcile = createReconcile({
        jobs: { checkDeadline: (id) => fail(() => jobs.checkDeadline(id)) },
        dispatches: new FailingDispatches(database, LIMITS),
        dispatch: (id) =>
          fail(async () => {
            if (isPoisoned && id === poisoned) await fails()
            sent.set(id, (sent.get(id) ?? 0) + 1)
          }),
        ...options,
      })
      for (const faults of rounds) {
        fail = faulty([...faults])
        await reconcile()
        const abandoned = new Set(await dispatch.findAbandoned())
        // A job is in the queue, or the next round takes it.
        for (const id of ids) expect(sent.has(id) || abandoned.has(id)).toBe(true)
      }
      expect(cleanups).toEqual({ removeLost: rounds.length, deleteExpired: rounds.length })
      fail = faulty([])
      expect(await reconcile()).toBe(true)
      expect([...sent.keys()].toSorted()).toEqual(ids.slice(1).toSorted())
      isPoisoned = false
      await reconcile()
      expect(sent.size).toBe(count)
      const before = new Map(sent)
      await reconcile()
      expect(sent).toEqual(before)
    }),
    { numRuns: 40 },
  )
})

it('gives a job to one of two reconcilers at once', async () => {
  await addJobs(8)
  const sent: string[] = []
  const reconcile = () =>
    createReconcile({
      ...{ jobs, dispatches: dispatch, ...options },
      dispatch: async (id) => void sent.push(id),
    })()
  await Promise.all([reconcile(), reconcile()])
  expect(new Set(sent).size).toBe(8)
  expect(sent).toHaveLength(8)
})

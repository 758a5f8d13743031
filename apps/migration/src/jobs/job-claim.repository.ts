import type { Database } from '@signet/platform/postgres/pool'
import type { JobRepository } from './job.ts'

interface Options {
  /** A worker without a heartbeat for so long is gone. */
  readonly stallSeconds: number
  readonly checkDeadline: JobRepository['checkDeadline']
}

/** Claims the phases of jobs that only one worker may run at a time. */
export function createJobClaims(
  database: Database,
  { stallSeconds, checkDeadline }: Options,
): Pick<JobRepository, 'claim' | 'leave' | 'beginNextPhase' | 'mayContinue'> {
  /** Attempts by job and worker: the claims of this process that it still has. A claim whose response was lost is missing. */
  const claims = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()

  async function claimNow(jobId: string, workerId: string, phase: string): Promise<number | undefined> {
    const isHeld = claims.has(`${jobId} ${workerId}`)
    const attempt = await database.transaction(async (tx) => {
      // Locks in a statement of its own: the deciding statement would otherwise use a snapshot from before
      // it waited, in which the job is unclaimed.
      await tx.query({
        name: 'job.lock', // primary key
        text: 'SELECT FROM migration.job WHERE job_id = $1 FOR UPDATE',
        values: [jobId],
      })
      const { rows } = await tx.query<{ attempt: number }>({
        name: 'job.claim', // primary keys
        text: `UPDATE migration.job j SET worker_id = $2, attempt = attempt + 1
                WHERE job_id = $1 AND state = 'running' AND phase = $4 AND stop_as IS NULL
                  AND NOT EXISTS (SELECT FROM migration.worker w
                                   WHERE w.worker_id = j.worker_id AND (w.worker_id <> $2 OR $5)
                                     AND w.seen_at > now() - $3 * interval '1 s')
               RETURNING attempt`,
        values: [jobId, workerId, stallSeconds, phase, isHeld],
      })
      return rows[0]?.attempt
    })
    if (attempt !== undefined) claims.set(`${jobId} ${workerId}`, attempt)
    return attempt
  }

  async function leaveNow(jobId: string, workerId: string, attempt: number | undefined): Promise<void> {
    const held = claims.get(`${jobId} ${workerId}`)
    // Another entry of this process has claimed the job.
    if (held !== undefined && held !== attempt) return
    await database.query({
      name: 'job.leave', // primary key
      text: 'UPDATE migration.job SET worker_id = NULL WHERE job_id = $1 AND worker_id = $2',
      values: [jobId, workerId],
    })
    claims.delete(`${jobId} ${workerId}`)
  }

  /** Runs the steps one after the other, so that each one sees the claims of the one before. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step)
    last = done.catch(() => undefined)
    return done
  }

  return {
    claim: (jobId, workerId, phase) => inTurn(() => claimNow(jobId, workerId, phase)),

    async leave(jobId: string, workerId: string, attempt: number | undefined): Promise<void> {
      await inTurn(() => leaveNow(jobId, workerId, attempt))
      await checkDeadline(jobId)
    },

    beginNextPhase: (jobId, attempt, phase) => beginNextPhase(database, { jobId, phase }, attempt),
    mayContinue: (jobId, attempt) => mayContinue(database, jobId, attempt),
  }
}

async function beginNextPhase(
  database: Database,
  { jobId, phase }: { readonly jobId: string; readonly phase: string },
  attempt: number,
): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'job.pass_on', // primary key
    text: `UPDATE migration.job SET phase = $3 WHERE job_id = $1 AND state = 'running' AND attempt = $2`,
    values: [jobId, attempt, phase],
  })
  return rowCount === 1
}

async function mayContinue(database: Database, jobId: string, attempt: number): Promise<boolean> {
  const { rows } = await database.query<{ goes_on: boolean }>({
    name: 'job.has_time', // primary key
    text: `SELECT state = 'running' AND stop_as IS NULL AND deadline_at > now() AND attempt = $2 AS goes_on
             FROM migration.job WHERE job_id = $1`,
    values: [jobId, attempt],
  })
  return rows[0]?.goes_on ?? false
}

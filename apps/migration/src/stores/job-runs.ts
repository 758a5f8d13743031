import type { Database } from '@signet/platform/postgres/pool'
import type { JobEndings, JobRuns } from '../runs/job-store.ts'

export function postgresJobRuns(
  database: Database,
  { stallSeconds, settle }: { readonly stallSeconds: number } & Pick<JobEndings, 'settle'>,
): JobRuns {
  return {
    async start(jobId: string, phase: string): Promise<void> {
      await database.query({
        name: 'job.start', // primary key
        text: `UPDATE migration.job SET state = 'running', phase = $2, started_at = coalesce(started_at, now())
                WHERE job_id = $1 AND state = 'queued'`,
        values: [jobId, phase],
      })
    },

    claim(jobId: string, workerId: string, phase: string): Promise<number | undefined> {
      return database.transaction(async (tx) => {
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
                                     WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $3 * interval '1 s')
                 RETURNING attempt`,
          values: [jobId, workerId, stallSeconds, phase],
        })
        return rows[0]?.attempt
      })
    },

    async leave(jobId: string, workerId: string): Promise<void> {
      await database.query({
        name: 'job.leave', // primary key
        text: 'UPDATE migration.job SET worker_id = NULL WHERE job_id = $1 AND worker_id = $2',
        values: [jobId, workerId],
      })
      await settle(jobId)
    },

    async setPhase(jobId: string, phase: string): Promise<void> {
      await database.query({
        name: 'job.set_phase', // primary key
        text: `UPDATE migration.job SET phase = $2 WHERE job_id = $1 AND state = 'running'`,
        values: [jobId, phase],
      })
    },

    async passOn(jobId: string, attempt: number, phase: string): Promise<boolean> {
      const { rowCount } = await database.query({
        name: 'job.pass_on', // primary key
        text: `UPDATE migration.job SET phase = $3 WHERE job_id = $1 AND state = 'running' AND attempt = $2`,
        values: [jobId, attempt, phase],
      })
      return rowCount === 1
    },

    async setNotes(jobId: string, notes: readonly string[]): Promise<void> {
      await database.query({
        name: 'job.set_notes', // primary key
        text: 'UPDATE migration.job SET notes = $2 WHERE job_id = $1',
        values: [jobId, notes],
      })
    },

    async goesOn(jobId: string, attempt: number): Promise<boolean> {
      const { rows } = await database.query<{ goes_on: boolean }>({
        name: 'job.has_time', // primary key
        text: `SELECT state = 'running' AND stop_as IS NULL AND deadline_at > now() AND attempt = $2 AS goes_on
                 FROM migration.job WHERE job_id = $1`,
        values: [jobId, attempt],
      })
      return rows[0]?.goes_on ?? false
    },

    async setProgress(jobId: string, { total, done }: { total: number; done: number }): Promise<boolean> {
      const { rows } = await database.query<{ goes_on: boolean }>({
        name: 'job.set_progress', // primary key
        text: `UPDATE migration.job SET total = $2, done = $3 WHERE job_id = $1
               RETURNING state = 'running' AND stop_as IS NULL AND deadline_at > now() AS goes_on`,
        values: [jobId, total, done],
      })
      return rows[0]?.goes_on ?? false
    },
  }
}

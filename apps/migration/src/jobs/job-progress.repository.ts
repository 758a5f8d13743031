import type { Database } from '@signet/platform/postgres/pool'
import type { Job, JobRepository } from './job.ts'
import { MAY_BEGIN } from './job-row.ts'

/** Starts a job and stores how far it has come. */
export function createJobProgress(
  database: Database,
): Pick<JobRepository, 'start' | 'setPhase' | 'setNotes' | 'setRecords' | 'setProgress' | 'findTimes'> {
  return {
    async start(jobId: string, phase: string): Promise<void> {
      await database.query({
        name: 'job.start', // primary key
        text: `UPDATE migration.job SET state = 'running', phase = $2, started_at = coalesce(started_at, now())
                WHERE job_id = $1 AND state = 'queued' AND ${MAY_BEGIN}`,
        values: [jobId, phase],
      })
    },

    async setPhase(jobId: string, phase: string): Promise<void> {
      await database.query({
        name: 'job.set_phase', // primary key
        text: `UPDATE migration.job SET phase = $2 WHERE job_id = $1 AND state = 'running' AND ${MAY_BEGIN}`,
        values: [jobId, phase],
      })
    },

    async setNotes(jobId: string, notes: readonly string[]): Promise<void> {
      await database.query({
        name: 'job.set_notes', // primary key
        text: `UPDATE migration.job SET notes = $2 WHERE job_id = $1 AND state = 'running'`,
        values: [jobId, notes],
      })
    },

    async setRecords(jobId: string, records: Readonly<Record<string, number>>): Promise<void> {
      await database.query({
        name: 'job.set_records', // primary key
        text: `UPDATE migration.job SET records = $2 WHERE job_id = $1 AND state = 'running'`,
        values: [jobId, JSON.stringify(records)],
      })
    },

    async findTimes(jobId: string): Promise<Pick<Job, 'endedAt' | 'deadlineAt'> | undefined> {
      const { rows } = await database.query<Pick<Job, 'endedAt' | 'deadlineAt'>>({
        name: 'job.times', // primary key
        text: `SELECT ended_at AS "endedAt", deadline_at AS "deadlineAt" FROM migration.job WHERE job_id = $1`,
        values: [jobId],
      })
      return rows[0]
    },

    async setProgress(jobId: string, attempt: number, { total, done }): Promise<boolean> {
      const { rows } = await database.query<{ goes_on: boolean }>({
        name: 'job.set_progress', // primary key
        text: `UPDATE migration.job SET total = $3, done = $4 WHERE job_id = $1 AND attempt = $2
               RETURNING state = 'running' AND stop_as IS NULL AND deadline_at > now() AS goes_on`,
        values: [jobId, attempt, total, done],
      })
      return rows[0]?.goes_on ?? false
    },
  }
}

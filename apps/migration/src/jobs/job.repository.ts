import type { Database } from '@signet/platform/postgres/pool'
import type { Job, JobRepository } from './job.ts'
import { createJobAdmission } from './job-admission.repository.ts'
import { createJobClaims } from './job-claim.repository.ts'
import { createJobEnds } from './job-end.repository.ts'
import { createJobProgress } from './job-progress.repository.ts'
import { createJobRequests } from './job-request.repository.ts'
import { JOB_COLUMNS, JOB_COUNTS, type JobRow, toJob } from './job-row.ts'

/** A worker without a heartbeat for `stallSeconds` is gone. */
export function createJobRepository(database: Database, stallSeconds: number): JobRepository {
  const ends = createJobEnds(database, stallSeconds)
  return {
    ...createJobAdmission(database),
    ...createJobRequests(database),
    ...createJobClaims(database, { stallSeconds, checkDeadline: ends.checkDeadline }),
    ...createJobProgress(database),
    ...ends,

    async find(jobId: string): Promise<Job | undefined> {
      const { rows } = await database.query<JobRow>({
        name: 'job.find', // primary keys
        text: `SELECT ${JOB_COLUMNS} FROM migration.job j ${JOB_COUNTS} WHERE j.job_id = $1`,
        values: [jobId],
      })
      const [row] = rows
      return row && toJob(row)
    },

    async list(after: string | undefined, most: number): Promise<readonly Job[]> {
      const { rows } = await database.query<JobRow>({
        name: 'job.list', // job_created, primary keys
        text: `SELECT ${JOB_COLUMNS} FROM migration.job j ${JOB_COUNTS}
                WHERE $1::text IS NULL
                   OR (j.created_at, j.job_id) < (SELECT a.created_at, a.job_id FROM migration.job a WHERE a.job_id = $1)
                ORDER BY j.created_at DESC, j.job_id DESC LIMIT $2`,
        values: [after ?? null, most],
      })
      return rows.map(toJob)
    },

    async isReachable(): Promise<boolean> {
      await database.query({ name: 'job.any', text: 'SELECT 1 FROM migration.job LIMIT 1' }) // primary key
      return true
    },
  }
}

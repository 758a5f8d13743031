import type { Attempt } from '@signet/admin-api/audit/audit-log'
import type { Database } from '@signet/platform/postgres/pool'
import { jobChanged, toldOptions } from '../audit/job-events.ts'
import type { Job } from '../runs/job.ts'
import type { AcceptedImport, JobRecords, NewJob } from '../runs/job-store.ts'
import { trail } from './audit-trail.ts'
import { JOB_COLUMNS, type JobRow, toJob } from './job-row.ts'

export function postgresJobRecords(database: Database): JobRecords {
  return {
    async add({
      id,
      kind,
      state,
      attempt,
      workerId,
      request,
      timeoutMs,
      sealedOrder,
    }: NewJob): Promise<void> {
      const { caller } = attempt
      await database.transaction(async (tx) => {
        await tx.query({
          name: 'job.add',
          text: `INSERT INTO migration.job (job_id, kind, state, phase, created_by, actor_kind, worker_id, request, timeout_ms,
                                            created_at, accepted_at, deadline_at, sealed_credentials)
                 VALUES ($1, $2, $3, $3, $4, $5, CASE $3 WHEN 'staging' THEN $6 END, $7, $8::bigint, now(),
                         CASE $3 WHEN 'queued' THEN now() END,
                         CASE $3 WHEN 'queued' THEN now() + $8::bigint * interval '1 ms' END, $9)`,
          values: [
            id,
            kind,
            state,
            caller.userId,
            caller.kind,
            workerId,
            JSON.stringify(request),
            timeoutMs,
            sealedOrder ?? null,
          ],
        })
        if (state === 'staging') return
        await trail.record(tx, jobChanged(attempt, { id, kind }, 'start', toldOptions(request)))
      })
    },

    async find(jobId: string): Promise<Job | undefined> {
      const { rows } = await database.query<JobRow>({
        name: 'job.find', // primary keys
        text: `SELECT ${JOB_COLUMNS} FROM migration.job j WHERE j.job_id = $1`,
        values: [jobId],
      })
      const [row] = rows
      return row && toJob(row)
    },

    async list(after: string | undefined, most: number): Promise<readonly Job[]> {
      const { rows } = await database.query<JobRow>({
        name: 'job.list', // job_created, primary keys
        text: `SELECT ${JOB_COLUMNS} FROM migration.job j
                WHERE $1::text IS NULL
                   OR (j.created_at, j.job_id) < (SELECT a.created_at, a.job_id FROM migration.job a WHERE a.job_id = $1)
                ORDER BY j.created_at DESC, j.job_id DESC LIMIT $2`,
        values: [after ?? null, most],
      })
      return rows.map(toJob)
    },

    async accept(
      jobId: string,
      attempt: Attempt,
      { request, timeoutMs, notes, sealedOrder }: AcceptedImport,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        const { rowCount } = await tx.query({
          name: 'job.accept', // primary key
          text: `UPDATE migration.job SET state = 'queued', phase = 'queued', worker_id = NULL, request = $2, notes = $4, sealed_credentials = $5,
                        timeout_ms = $3::bigint, accepted_at = now(), deadline_at = now() + $3::bigint * interval '1 ms'
                  WHERE job_id = $1 AND state = 'staging'`,
          values: [jobId, JSON.stringify(request), timeoutMs, notes, sealedOrder ?? null],
        })
        if (rowCount !== 1) throw new Error(`job ${jobId} is not being staged any more`)
        await trail.record(
          tx,
          jobChanged(attempt, { id: jobId, kind: 'import' }, 'start', toldOptions(request)),
        )
      })
    },

    async discard(jobId: string): Promise<void> {
      const statement = {
        name: 'job.discard', // primary key
        text: `DELETE FROM migration.job WHERE job_id = $1 AND state = 'staging'`,
        values: [jobId],
      }
      // With everything that was staged.
      await database.transaction((tx) => tx.query(statement), { kind: 'background' })
    },

    async isReachable(): Promise<boolean> {
      await database.query({ name: 'job.any', text: 'SELECT 1 FROM migration.job LIMIT 1' }) // primary key
      return true
    },
  }
}

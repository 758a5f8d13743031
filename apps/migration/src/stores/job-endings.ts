import type { Attempt } from '@signet/admin-api/audit/audit-log'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import { jobChanged, jobEnded } from '../audit/job-events.ts'
import type { Job, JobError } from '../runs/job.ts'
import type { JobEndings, KnownJob } from '../runs/job-store.ts'
import { trail } from './audit-trail.ts'

export function postgresJobEndings(database: Database, stallSeconds: number): JobEndings {
  async function endRecorded(statement: Statement): Promise<void> {
    await database.transaction(async (tx) => {
      const { rows } = await tx.query<KnownJob & Pick<Job, 'state'>>(statement)
      await trail.record(tx, ...rows.map((job) => jobEnded(job, job.state)))
    })
  }

  async function end(
    jobId: string,
    state: string,
    { error, notes }: { readonly error?: JobError; readonly notes?: readonly string[] },
  ): Promise<void> {
    await endRecorded({
      name: 'job.end', // primary key
      text: `UPDATE migration.job SET state = $2, ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3,
                    notes = coalesce($4, notes)
              WHERE job_id = $1 AND state = 'running' RETURNING job_id AS id, kind, state`,
      values: [jobId, state, error === undefined ? null : JSON.stringify(error), notes ?? null],
    })
  }

  async function settle(jobId: string): Promise<boolean> {
    await database.query({
      name: 'job.stop_late', // primary key
      text: `UPDATE migration.job SET stop_as = 'timed_out'
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NULL AND deadline_at < now()`,
      values: [jobId],
    })
    await endRecorded({
      name: 'job.stop', // primary keys, staged_batch_open
      text: `UPDATE migration.job j SET state = stop_as, stop_as = NULL, ended_at = now(), worker_id = NULL
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NOT NULL
                AND NOT EXISTS (SELECT FROM migration.worker w
                                 WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $2 * interval '1 s')
                AND NOT EXISTS (SELECT FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                                 WHERE b.job_id = j.job_id AND b.outcomes IS NULL
                                   AND w.seen_at > now() - $2 * interval '1 s')
             RETURNING job_id AS id, kind, state`,
      values: [jobId, stallSeconds],
    })
    const { rows } = await database.query<{ goes_on: boolean }>({
      name: 'job.goes_on', // primary key
      text: `SELECT state IN ('queued', 'running') AND stop_as IS NULL AS goes_on FROM migration.job WHERE job_id = $1`,
      values: [jobId],
    })
    return rows[0]?.goes_on ?? false
  }

  return {
    settle,
    finish: (jobId, { state, notes }) => end(jobId, state, { notes }),
    fail: (jobId, error) => end(jobId, 'failed', { error }),

    async requestStop(job: KnownJob, attempt: Attempt): Promise<boolean> {
      const stopping = await database.transaction(async (tx) => {
        const { rowCount } = await tx.query({
          name: 'job.request_stop', // primary key
          text: `UPDATE migration.job SET stop_as = coalesce(stop_as, 'cancelled')
                  WHERE job_id = $1 AND state IN ('queued', 'running')`,
          values: [job.id],
        })
        if (rowCount === 1) await trail.record(tx, jobChanged(attempt, job, 'cancel'))
        return rowCount === 1
      })
      await settle(job.id)
      return stopping
    },

    resume(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined> {
      return database.transaction(async (tx) => {
        const { rows } = await tx.query<{ attempt: number }>({
          name: 'job.resume', // primary key
          text: `UPDATE migration.job SET state = 'queued', ended_at = NULL, stop_as = NULL, error = NULL, attempt = attempt + 1,
                        dispatched_at = NULL,
                        timeout_ms = coalesce($2, timeout_ms),
                        deadline_at = now() + coalesce($2, timeout_ms) * interval '1 ms'
                  WHERE job_id = $1 AND state IN ('timed_out', 'cancelled', 'failed')
                    AND coalesce((error ->> 'resumable')::boolean, true) AND ended_at > now() - interval '1 day'
                 RETURNING attempt`,
          values: [job.id, timeoutMs ?? null],
        })
        if (rows.length > 0) await trail.record(tx, jobChanged(attempt, job, 'resume'))
        return rows[0]?.attempt
      })
    },
  }
}

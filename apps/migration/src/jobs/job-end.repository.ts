import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import type { Job, JobError, JobRepository, KnownJob, ReceivedCall, Refusal } from './job.ts'
import { auditedOptions, auditTable, jobChanged, jobEnded, type StartedJob } from './job-audit.ts'
import { jsonForPostgres } from './json-for-postgres.ts'

/** Ends jobs that are done, refused, late or cancelled. A worker without a heartbeat for `stallSeconds` is gone. */
export function createJobEnds(
  database: Database,
  stallSeconds: number,
): Pick<
  JobRepository,
  'checkDeadline' | 'finish' | 'fail' | 'failBeforeApplying' | 'refuse' | 'requestStop'
> {
  async function checkDeadline(jobId: string): Promise<boolean> {
    await database.query({
      name: 'job.stop_late', // primary key
      text: `UPDATE migration.job SET stop_as = 'timed_out'
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NULL AND deadline_at < now()`,
      values: [jobId],
    })
    await endRecorded(database, {
      name: 'job.stop', // primary keys, staged_batch_open
      text: `UPDATE migration.job j SET state = stop_as, stop_as = NULL, ended_at = now(), worker_id = NULL
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NOT NULL
                AND NOT EXISTS (SELECT FROM migration.worker w
                                 WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $2 * interval '1 s')
                AND NOT EXISTS (SELECT FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                                 WHERE b.job_id = j.job_id AND b.outcomes IS NULL
                                   AND w.seen_at > now() - $2 * interval '1 s')
             RETURNING job_id AS id, kind, state, request_id AS "requestId"`,
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
    checkDeadline,
    finish: (jobId, { state, notes, attempt }) =>
      end(database, jobId, state, { notes, ...(attempt !== undefined && { attempt }) }),
    fail: (jobId, error) => end(database, jobId, 'failed', { error }),

    failBeforeApplying: (jobId, attempt, error) =>
      endRecorded(database, {
        name: 'job.fail_before_applying', // primary keys
        text: `UPDATE migration.job j SET state = 'failed', ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3
                WHERE job_id = $1 AND attempt = $2 AND state = 'running' AND phase = 'comparing'
                  AND NOT EXISTS (SELECT FROM migration.staged_batch b WHERE b.job_id = j.job_id
                                     AND (b.outcomes IS NOT NULL OR b.claimed_by IS NOT NULL))
               RETURNING job_id AS id, kind, state, request_id AS "requestId"`,
        values: [jobId, attempt, jsonForPostgres(error)],
      }),

    refuse: (jobId, refusal, received) => refuse(database, jobId, refusal, received),

    async requestStop(job: KnownJob, attempt: Attempt): Promise<boolean> {
      const stopping = await database.transaction(async (tx) => {
        const { rowCount } = await tx.query({
          name: 'job.request_stop', // primary key
          text: `UPDATE migration.job SET stop_as = coalesce(stop_as, 'cancelled')
                  WHERE job_id = $1 AND state IN ('queued', 'running')`,
          values: [job.id],
        })
        if (rowCount === 1) await auditTable.record(tx, jobChanged(attempt, job, 'cancel'))
        return rowCount === 1
      })
      await checkDeadline(job.id)
      return stopping
    },
  }
}

/** Returns whether a job ended. */
function endRecorded(database: Database, statement: Statement): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<StartedJob & Pick<Job, 'state'>>(statement)
    await auditTable.record(tx, ...rows.map((job) => jobEnded(job, job.state)))
    return rows.length > 0
  })
}

async function end(
  database: Database,
  jobId: string,
  state: string,
  {
    error,
    notes,
    attempt,
  }: { readonly error?: JobError; readonly notes?: readonly string[]; readonly attempt?: number },
): Promise<void> {
  await endRecorded(database, {
    name: 'job.end', // primary key
    text: `UPDATE migration.job SET state = $2, ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3,
                  notes = coalesce($4, notes)
            WHERE job_id = $1 AND state = 'running' AND attempt = coalesce($5, attempt) RETURNING job_id AS id, kind, state, request_id AS "requestId"`,
    values: [
      jobId,
      state,
      error === undefined ? null : jsonForPostgres(error),
      notes ?? null,
      attempt ?? null,
    ],
  })
}

async function refuse(
  database: Database,
  jobId: string,
  { error, hasAllRejects }: Refusal,
  received?: ReceivedCall,
): Promise<void> {
  const request = received && jsonForPostgres(received.request)
  await database.transaction(
    async (tx) => {
      const { rowCount } = await tx.query({
        name: 'job.refuse', // primary key
        text: `UPDATE migration.job SET state = 'failed', ended_at = now(), worker_id = NULL, stop_as = NULL, error = $2,
                      phase = CASE state WHEN 'staging' THEN 'staging' ELSE phase END,
                      request = coalesce($3::jsonb, request)
                WHERE job_id = $1 AND state = CASE WHEN $3::jsonb IS NULL THEN 'running' ELSE 'staging' END`,
        values: [jobId, jsonForPostgres(error), request ?? null],
      })
      if (rowCount !== 1) return
      await tx.query({
        name: 'staged_batch.refuse', // primary key
        text: 'DELETE FROM migration.staged_batch WHERE job_id = $1',
        values: [jobId],
      })
      if (!hasAllRejects) {
        await tx.query({
          name: 'rejected_batch.incomplete', // primary key
          text: 'UPDATE migration.rejected_batch SET sealed = NULL WHERE job_id = $1',
          values: [jobId],
        })
      }
      const job = { id: jobId, kind: 'import' } as const
      if (received !== undefined && request !== undefined) {
        const options = auditedOptions(JSON.parse(request))
        await auditTable.record(tx, jobChanged(received.attempt, job, 'start', options))
      }
      // Of the request whose work this is.
      await auditTable.record(tx, jobEnded({ ...job, requestId: null }, 'failed'))
    },
    { kind: 'background' },
  )
}

import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import type {
  AcceptedImport,
  Job,
  JobError,
  JobRepository,
  KnownJob,
  NewJob,
  ReceivedCall,
  Refusal,
} from './job.ts'
import { auditedOptions, auditTable, jobChanged, jobEnded } from './job-audit.ts'
import { createJobClaims } from './job-claim.repository.ts'
import { createJobRequests } from './job-request.repository.ts'
import { JOB_COLUMNS, JOB_COUNTS, type JobRow, MAY_BEGIN, toJob } from './job-row.ts'
import { jsonForPostgres } from './json-for-postgres.ts'

/** A worker without a heartbeat for `stallSeconds` is gone. */
export function createJobRepository(database: Database, stallSeconds: number): JobRepository {
  /** Returns whether a job ended. */
  function endRecorded(statement: Statement): Promise<boolean> {
    return database.transaction(async (tx) => {
      const { rows } = await tx.query<KnownJob & Pick<Job, 'state'>>(statement)
      await auditTable.record(tx, ...rows.map((job) => jobEnded(job, job.state)))
      return rows.length > 0
    })
  }

  async function end(
    jobId: string,
    state: string,
    {
      error,
      notes,
      attempt,
    }: { readonly error?: JobError; readonly notes?: readonly string[]; readonly attempt?: number },
  ): Promise<void> {
    await endRecorded({
      name: 'job.end', // primary key
      text: `UPDATE migration.job SET state = $2, ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3,
                    notes = coalesce($4, notes)
              WHERE job_id = $1 AND state = 'running' AND attempt = coalesce($5, attempt) RETURNING job_id AS id, kind, state`,
      values: [
        jobId,
        state,
        error === undefined ? null : jsonForPostgres(error),
        notes ?? null,
        attempt ?? null,
      ],
    })
  }

  async function checkDeadline(jobId: string): Promise<boolean> {
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
    ...createJobRequests(database),
    ...createJobClaims(database, { stallSeconds, checkDeadline }),

    async add({
      id,
      kind,
      state,
      attempt,
      workerId,
      request,
      timeoutMs,
      sealedLocation,
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
            sealedLocation ?? null,
          ],
        })
        if (state === 'staging') return
        await auditTable.record(tx, jobChanged(attempt, { id, kind }, 'start', auditedOptions(request)))
      })
    },

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

    async accept(
      jobId: string,
      attempt: Attempt,
      { request, timeoutMs, notes, sealedLocation }: AcceptedImport,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        const { rowCount } = await tx.query({
          name: 'job.accept', // primary key
          text: `UPDATE migration.job SET state = 'queued', phase = 'queued', worker_id = NULL, request = $2, notes = $4, sealed_credentials = $5,
                        timeout_ms = $3::bigint, accepted_at = now(), deadline_at = now() + $3::bigint * interval '1 ms'
                  WHERE job_id = $1 AND state = 'staging'`,
          values: [jobId, JSON.stringify(request), timeoutMs, notes, sealedLocation ?? null],
        })
        if (rowCount !== 1) throw new Error(`job ${jobId} is not being staged any more`)
        await auditTable.record(
          tx,
          jobChanged(attempt, { id: jobId, kind: 'import' }, 'start', auditedOptions(request)),
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

    checkDeadline,
    finish: (jobId, { state, notes, attempt }) =>
      end(jobId, state, { notes, ...(attempt !== undefined && { attempt }) }),
    fail: (jobId, error) => end(jobId, 'failed', { error }),

    failBeforeApplying: (jobId, attempt, error) =>
      endRecorded({
        name: 'job.fail_before_applying', // primary keys
        text: `UPDATE migration.job j SET state = 'failed', ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3
                WHERE job_id = $1 AND attempt = $2 AND state = 'running' AND phase = 'comparing'
                  AND NOT EXISTS (SELECT FROM migration.staged_batch b WHERE b.job_id = j.job_id
                                     AND (b.outcomes IS NOT NULL OR b.claimed_by IS NOT NULL))
               RETURNING job_id AS id, kind, state`,
        values: [jobId, attempt, jsonForPostgres(error)],
      }),

    async refuse(jobId: string, { error, hasAllRejects }: Refusal, received?: ReceivedCall): Promise<void> {
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
          await auditTable.record(tx, jobEnded(job, 'failed'))
        },
        { kind: 'background' },
      )
    },

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

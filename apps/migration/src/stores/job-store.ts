import type { Attempt } from '@signet/audit-trail/attempt'
import type { Database, Statement } from '@signet/postgres/pool'
import { jobChanged, jobEnded, toldOptions } from '../audit/job-events.ts'
import type { Job, JobError } from '../runs/job.ts'
import type { AcceptedImport, JobStore, KnownJob, NewJob } from '../runs/job-store.ts'
import { trail } from './audit-trail.ts'
import { JOB_COLUMNS, type JobRow, toJob } from './job-row.ts'

export class PostgresJobStore implements JobStore {
  readonly #database: Database
  readonly #stallSeconds: number

  /** A worker that was not heard of for `stallSeconds` is gone. */
  constructor(database: Database, stallSeconds: number) {
    this.#database = database
    this.#stallSeconds = stallSeconds
  }

  async add({ id, kind, state, attempt, workerId, request, timeoutMs, sealedOrder }: NewJob): Promise<void> {
    const { caller } = attempt
    await this.#database.transaction(async (tx) => {
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
  }

  async find(jobId: string): Promise<Job | undefined> {
    const { rows } = await this.#database.query<JobRow>({
      name: 'job.find', // primary keys
      text: `SELECT ${JOB_COLUMNS} FROM migration.job j WHERE j.job_id = $1`,
      values: [jobId],
    })
    const [row] = rows
    return row && toJob(row)
  }

  async list(after: string | undefined, most: number): Promise<readonly Job[]> {
    const { rows } = await this.#database.query<JobRow>({
      name: 'job.list', // job_created, primary keys
      text: `SELECT ${JOB_COLUMNS} FROM migration.job j
              WHERE $1::text IS NULL
                 OR (j.created_at, j.job_id) < (SELECT a.created_at, a.job_id FROM migration.job a WHERE a.job_id = $1)
              ORDER BY j.created_at DESC, j.job_id DESC LIMIT $2`,
      values: [after ?? null, most],
    })
    return rows.map(toJob)
  }

  async accept(
    jobId: string,
    attempt: Attempt,
    { request, timeoutMs, notes, sealedOrder }: AcceptedImport,
  ): Promise<void> {
    await this.#database.transaction(async (tx) => {
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
  }

  async discard(jobId: string): Promise<void> {
    await this.#database.query({
      name: 'job.discard', // primary key
      text: `DELETE FROM migration.job WHERE job_id = $1 AND state = 'staging'`,
      values: [jobId],
    })
  }

  async start(jobId: string, phase: string): Promise<void> {
    await this.#database.query({
      name: 'job.start', // primary key
      text: `UPDATE migration.job SET state = 'running', phase = $2, started_at = coalesce(started_at, now())
              WHERE job_id = $1 AND state = 'queued'`,
      values: [jobId, phase],
    })
  }

  claim(jobId: string, workerId: string): Promise<number | undefined> {
    return this.#database.transaction(async (tx) => {
      // First the lock, then a statement of its own: one that waits for the claim of another worker goes on with the
      // snapshot it began with, in which nobody has the job.
      await tx.query({
        name: 'job.lock', // primary key
        text: 'SELECT FROM migration.job WHERE job_id = $1 FOR UPDATE',
        values: [jobId],
      })
      const { rows } = await tx.query<{ attempt: number }>({
        name: 'job.claim', // primary keys
        text: `UPDATE migration.job j SET worker_id = $2, attempt = attempt + 1
                WHERE job_id = $1 AND state = 'running' AND stop_as IS NULL
                  AND NOT EXISTS (SELECT FROM migration.worker w
                                   WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $3 * interval '1 s')
               RETURNING attempt`,
        values: [jobId, workerId, this.#stallSeconds],
      })
      return rows[0]?.attempt
    })
  }

  async leave(jobId: string, workerId: string): Promise<void> {
    await this.#database.query({
      name: 'job.leave', // primary key
      text: 'UPDATE migration.job SET worker_id = NULL WHERE job_id = $1 AND worker_id = $2',
      values: [jobId, workerId],
    })
    await this.settle(jobId)
  }

  async setNotes(jobId: string, notes: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'job.set_notes', // primary key
      text: 'UPDATE migration.job SET notes = $2 WHERE job_id = $1',
      values: [jobId, notes],
    })
  }

  async goesOn(jobId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ goes_on: boolean }>({
      name: 'job.has_time', // primary key
      text: `SELECT state = 'running' AND stop_as IS NULL AND deadline_at > now() AS goes_on
               FROM migration.job WHERE job_id = $1`,
      values: [jobId],
    })
    return rows[0]?.goes_on ?? false
  }

  async setPhase(jobId: string, phase: string): Promise<void> {
    await this.#database.query({
      name: 'job.set_phase', // primary key
      text: `UPDATE migration.job SET phase = $2 WHERE job_id = $1 AND state = 'running'`,
      values: [jobId, phase],
    })
  }

  async setProgress(jobId: string, { total, done }: { total: number; done: number }): Promise<boolean> {
    const { rows } = await this.#database.query<{ goes_on: boolean }>({
      name: 'job.set_progress', // primary key
      text: `UPDATE migration.job SET total = $2, done = $3 WHERE job_id = $1
             RETURNING state = 'running' AND stop_as IS NULL AND deadline_at > now() AS goes_on`,
      values: [jobId, total, done],
    })
    return rows[0]?.goes_on ?? false
  }

  async finish(jobId: string, { state, notes }: { state: string; notes: readonly string[] }): Promise<void> {
    await this.#end(jobId, state, { notes })
  }

  async fail(jobId: string, error: JobError): Promise<void> {
    await this.#end(jobId, 'failed', { error })
  }

  async #end(
    jobId: string,
    state: string,
    { error, notes }: { readonly error?: JobError; readonly notes?: readonly string[] },
  ): Promise<void> {
    await this.#endRecorded({
      name: 'job.end', // primary key
      text: `UPDATE migration.job SET state = $2, ended_at = now(), worker_id = NULL, stop_as = NULL, error = $3,
                    notes = coalesce($4, notes)
              WHERE job_id = $1 AND state = 'running' RETURNING job_id AS id, kind, state`,
      values: [jobId, state, error === undefined ? null : JSON.stringify(error), notes ?? null],
    })
  }

  async #endRecorded(statement: Statement): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<KnownJob & Pick<Job, 'state'>>(statement)
      await trail.record(tx, ...rows.map((job) => jobEnded(job, job.state)))
    })
  }

  async requestStop(job: KnownJob, attempt: Attempt): Promise<boolean> {
    const stopping = await this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: 'job.request_stop', // primary key
        text: `UPDATE migration.job SET stop_as = coalesce(stop_as, 'cancelled')
                WHERE job_id = $1 AND state IN ('queued', 'running')`,
        values: [job.id],
      })
      if (rowCount === 1) await trail.record(tx, jobChanged(attempt, job, 'cancel'))
      return rowCount === 1
    })
    await this.settle(job.id)
    return stopping
  }

  async settle(jobId: string): Promise<boolean> {
    await this.#database.query({
      name: 'job.stop_late', // primary key
      text: `UPDATE migration.job SET stop_as = 'timed_out'
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NULL AND deadline_at < now()`,
      values: [jobId],
    })
    await this.#endRecorded({
      name: 'job.stop', // primary keys, staged_batch_open
      text: `UPDATE migration.job j SET state = stop_as, stop_as = NULL, ended_at = now(), worker_id = NULL
              WHERE job_id = $1 AND state IN ('queued', 'running') AND stop_as IS NOT NULL
                AND NOT EXISTS (SELECT FROM migration.worker w
                                 WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $2 * interval '1 s')
                AND NOT EXISTS (SELECT FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                                 WHERE b.job_id = j.job_id AND b.outcomes IS NULL
                                   AND w.seen_at > now() - $2 * interval '1 s')
             RETURNING job_id AS id, kind, state`,
      values: [jobId, this.#stallSeconds],
    })
    const { rows } = await this.#database.query<{ goes_on: boolean }>({
      name: 'job.goes_on', // primary key
      text: `SELECT state IN ('queued', 'running') AND stop_as IS NULL AS goes_on FROM migration.job WHERE job_id = $1`,
      values: [jobId],
    })
    return rows[0]?.goes_on ?? false
  }

  resume(job: KnownJob, attempt: Attempt): Promise<number | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ attempt: number }>({
        name: 'job.resume', // primary key
        text: `UPDATE migration.job SET state = 'queued', ended_at = NULL, stop_as = NULL, error = NULL, attempt = attempt + 1,
                      dispatched_at = NULL,
                      deadline_at = now() + timeout_ms * interval '1 ms'
                WHERE job_id = $1 AND state IN ('timed_out', 'cancelled', 'failed')
                  AND coalesce((error ->> 'resumable')::boolean, true) AND ended_at > now() - interval '1 day'
               RETURNING attempt`,
        values: [job.id],
      })
      if (rows.length > 0) await trail.record(tx, jobChanged(attempt, job, 'resume'))
      return rows[0]?.attempt
    })
  }

  async isReachable(): Promise<boolean> {
    await this.#database.query({ name: 'job.any', text: 'SELECT 1 FROM migration.job LIMIT 1' }) // primary key
    return true
  }
}

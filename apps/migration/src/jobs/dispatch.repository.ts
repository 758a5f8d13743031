import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { HAS_SET_ASIDE } from './job-row.ts'

/** Condition of a row `j` whose worker is lost; `$1` is after how many seconds without a sign of life it is. */
const IS_ABANDONED = `j.ended_at IS NULL AND j.state IN ('queued', 'running')
                AND (j.dispatched_at IS NULL OR j.dispatched_at < now() - $1 * interval '1 s')
                AND NOT EXISTS (SELECT FROM migration.worker w
                                 WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $1 * interval '1 s')
                AND NOT EXISTS (SELECT FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                                 WHERE b.job_id = j.job_id AND b.outcomes IS NULL
                                   AND w.seen_at > now() - $1 * interval '1 s')`

/** Deleting the data of a large job takes longer than a request may take. */
const IN_BACKGROUND = { kind: 'background' } as const

/** The assignment of jobs to workers, and the cleanup after both. */
export class DispatchRepository {
  readonly #database: Database
  readonly #stallSeconds: number
  readonly #retentionDays: number

  /** A worker that was not heard of for `stallSeconds` is gone. Ended jobs are kept for `jobRetentionDays`. */
  constructor(
    database: Database,
    { stallSeconds, jobRetentionDays }: { readonly stallSeconds: number; readonly jobRetentionDays: number },
  ) {
    this.#database = database
    this.#stallSeconds = stallSeconds
    this.#retentionDays = jobRetentionDays
  }

  /** The queue has the job. */
  async dispatched(jobId: string): Promise<void> {
    await this.#database.query({
      name: 'job.dispatched', // primary key
      text: 'UPDATE migration.job SET dispatched_at = now() WHERE job_id = $1',
      values: [jobId],
    })
  }

  /** The ids of queued and running jobs whose deadline has passed or whose stop was requested. */
  async findOverdue(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ id: string }>({
      name: 'job.find_overdue', // job_unfinished
      text: `SELECT job_id AS id FROM migration.job
              WHERE ended_at IS NULL AND state IN ('queued', 'running') AND (stop_as IS NOT NULL OR deadline_at < now())`,
    })
    return rows.map(({ id }) => id)
  }

  /** The ids of accepted jobs without a live worker that are not queued, or were queued longer ago than a worker may be silent. */
  async findAbandoned(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ id: string }>({
      name: 'job.find_abandoned', // job_unfinished, staged_batch_open
      text: `SELECT j.job_id AS id FROM migration.job j WHERE ${IS_ABANDONED} ORDER BY j.created_at`,
      values: [this.#stallSeconds],
    })
    return rows.map(({ id }) => id)
  }

  /**
   * Calls `dispatch` with the next attempt of a job that is still abandoned, and stores the attempt and the dispatch when it
   * resolves. Nothing is stored when it rejects or this process ends meanwhile: the job stays abandoned. Of callers at once
   * one gets the job.
   */
  async dispatchAbandoned(jobId: string, dispatch: (attempt: number) => Promise<void>): Promise<void> {
    await this.#database.transaction(async (tx) => {
      // Skips a locked job: it is being claimed, dispatched or ended. A statement of its own, since the deciding
      // statement needs a snapshot taken after the lock.
      const { rowCount } = await tx.query({
        name: 'job.lock_abandoned', // primary key
        text: 'SELECT FROM migration.job WHERE job_id = $1 FOR UPDATE SKIP LOCKED',
        values: [jobId],
      })
      if (rowCount === 0) return
      const { rows } = await tx.query<{ attempt: number }>({
        name: 'job.dispatch_abandoned', // primary keys, staged_batch_open
        text: `UPDATE migration.job j SET dispatched_at = now(), attempt = attempt + 1
                WHERE j.job_id = $2 AND ${IS_ABANDONED}
               RETURNING j.attempt`,
        values: [this.#stallSeconds, jobId],
      })
      const [job] = rows
      if (job !== undefined) await dispatch(job.attempt)
    })
  }

  /** Removes jobs that were never accepted and whose process is gone. */
  async removeLost(): Promise<void> {
    const statement = {
      name: 'job.remove_lost', // job_unfinished, primary key of worker
      text: `DELETE FROM migration.job j
              WHERE j.ended_at IS NULL AND j.state = 'staging'
                AND NOT EXISTS (SELECT FROM migration.worker w
                                 WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $1 * interval '1 s')`,
      values: [this.#stallSeconds],
    }
    await this.#database.transaction((tx) => tx.query(statement), IN_BACKGROUND)
  }

  /** Stores the heartbeat of this process, and deletes processes that were silent for a day. */
  async heartbeat(workerId: string): Promise<void> {
    await this.#database.query({
      name: 'worker.beat', // primary key; a scan over a handful of rows
      text: `WITH forgotten AS (
               DELETE FROM migration.worker WHERE seen_at < now() - interval '1 day' AND worker_id <> $1)
             INSERT INTO migration.worker (worker_id, seen_at) VALUES ($1, now())
                 ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`,
      values: [workerId],
    })
  }

  /** Says that this process ends in good order, so that batches that it leaves are not held against them. */
  async announceStop(workerId: string): Promise<void> {
    await this.#database.query({
      name: 'worker.stop', // primary key
      text: 'UPDATE migration.worker SET is_stopping = true WHERE worker_id = $1',
      values: [workerId],
    })
  }

  /**
   * Deletes exported documents 15 minutes and rejected records a day after the end of their job, staged records, unique
   * keys and credentials once the job cannot be resumed or applied, the job with its result after the retention time, and
   * audit events after 400 days. A deletion that fails keeps none of the others from running; then it rejects.
   */
  async deleteExpired(): Promise<void> {
    const deleteJobs = (tx: Queryable) => deleteOldJobs(tx, this.#retentionDays)
    const failures: unknown[] = []
    for (const deleteSome of [
      deleteEvents,
      deleteDocuments,
      deleteRejects,
      deletePlanCredentials,
      deleteResumeData,
      deleteJobs,
    ]) {
      await this.#database.transaction(deleteSome, IN_BACKGROUND).catch((error) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** Jobs that one transaction deletes from; the next round takes the others. */
const JOBS_AT_ONCE = 5

async function deleteEvents(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'audit_event.settle', // primary key
    text: 'SELECT migration_audit.settle(now(), 0)',
  })
}

async function deleteDocuments(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'document.delete_expired', // job_ended_at, primary key
    text: `DELETE FROM migration.document_chunk c USING migration.job j
            WHERE c.job_id = j.job_id AND j.ended_at < now() - interval '15 minutes'`,
  })
}

/** The report keeps their ids and problems. */
async function deleteRejects(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'rejected_batch.delete_expired', // rejected_batch_sealed, primary keys
    text: `UPDATE migration.rejected_batch r SET sealed = NULL FROM migration.job j
            WHERE r.sealed IS NOT NULL AND r.job_id = j.job_id AND j.ended_at < now() - interval '1 day'`,
  })
}

/** A plan needs its records only; the document of a storage is staged. */
async function deletePlanCredentials(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'job.delete_plan_credentials', // job_resume_data
    text: `UPDATE migration.job SET sealed_credentials = NULL, sealed_upload = NULL
            WHERE resume_data AND ended_at IS NOT NULL AND state IN ('succeeded', 'partial')
              AND (sealed_credentials IS NOT NULL OR sealed_upload IS NOT NULL)`,
  })
}

/** The lock makes a resume of the same job wait. Both decide by `ended_at`, so one of them finds nothing to do. */
async function deleteResumeData(tx: Queryable): Promise<void> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'job.not_resumable', // job_resume_data, primary key of staged_batch
    text: `SELECT job_id AS id FROM migration.job j
            WHERE resume_data AND ended_at IS NOT NULL
              AND (state IN ('succeeded', 'partial') AND NOT coalesce((request ->> 'dryRun')::boolean, false)
                     AND NOT ${HAS_SET_ASIDE}
                   OR ended_at < now() - interval '1 day'
                   OR state = 'failed' AND NOT coalesce((error ->> 'resumable')::boolean, true))
            ORDER BY ended_at LIMIT ${JOBS_AT_ONCE} FOR UPDATE SKIP LOCKED`,
  })
  if (rows.length === 0) return
  const values = [rows.map(({ id }) => id)]
  await tx.query({
    name: 'staged_batch.delete_records', // primary key
    text: `UPDATE migration.staged_batch SET sealed = NULL, plan = NULL, unique_keys = '{}', unique_at = '{}'
            WHERE job_id = ANY ($1)`,
    values,
  })
  await tx.query({
    name: 'staged_key.delete', // primary key
    text: 'DELETE FROM migration.staged_key WHERE job_id = ANY ($1)',
    values,
  })
  await tx.query({
    name: 'job.delete_credentials', // primary key
    text: `UPDATE migration.job SET resume_data = false, sealed_credentials = NULL, sealed_upload = NULL
            WHERE job_id = ANY ($1)`,
    values,
  })
}

/** Deletes old jobs with their results, which name the people of the document. */
async function deleteOldJobs(tx: Queryable, days: number): Promise<void> {
  await tx.query({
    name: 'job.delete_old', // job_ended_at, primary key
    text: `DELETE FROM migration.job WHERE job_id IN (
             SELECT job_id FROM migration.job WHERE ended_at < now() - $1 * interval '1 day'
              ORDER BY ended_at LIMIT ${JOBS_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
    values: [days],
  })
}

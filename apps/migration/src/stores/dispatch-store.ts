import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Job } from '../runs/job.ts'

/** Who works on what, and what is left behind. */
export interface DispatchStore {
  /** A worker has been told of the job. */
  dispatched(jobId: string): Promise<void>
  /**
   * Takes over the accepted jobs that nobody works on, or was told of for as long as a worker may be silent. Of any
   * number of callers one gets a job; who cannot tell a worker gives it back with `undispatched`.
   */
  takeAbandoned(): Promise<readonly Pick<Job, 'id' | 'attempt'>[]>
  undispatched(jobId: string): Promise<void>
  /** Removes what was never accepted and whose process is gone. */
  removeLost(): Promise<void>
  /** Tells that this process is alive; afterwards forgets those that have been silent for a day. */
  beat(workerId: string): Promise<void>
  /**
   * Forgets what ended jobs no longer need: documents after a quarter of an hour, staged records after a day. And what
   * the trail has told for 400 days.
   */
  forget(): Promise<void>
}

/** What a large job leaves behind takes longer to delete than a request may take. */
const IN_BACKGROUND = { kind: 'background' } as const

export class PostgresDispatchStore implements DispatchStore {
  readonly #database: Database
  readonly #stallSeconds: number

  /** A worker that was not heard of for `stallSeconds` is gone. */
  constructor(database: Database, stallSeconds: number) {
    this.#database = database
    this.#stallSeconds = stallSeconds
  }

  async dispatched(jobId: string): Promise<void> {
    await this.#database.query({
      name: 'job.dispatched', // primary key
      text: 'UPDATE migration.job SET dispatched_at = now() WHERE job_id = $1',
      values: [jobId],
    })
  }

  async undispatched(jobId: string): Promise<void> {
    await this.#database.query({
      name: 'job.undispatched', // primary key
      text: 'UPDATE migration.job SET dispatched_at = NULL WHERE job_id = $1',
      values: [jobId],
    })
  }

  takeAbandoned(): Promise<readonly Pick<Job, 'id' | 'attempt'>[]> {
    return this.#database.transaction(async (tx) => {
      // A job that is locked is being claimed, or ended. Not in the statement that decides, which would go on with the
      // snapshot it began with, in which nobody has the job.
      const { rows: unfinished } = await tx.query<{ id: string }>({
        name: 'job.lock_unfinished', // job_unfinished
        text: `SELECT job_id AS id FROM migration.job
                WHERE ended_at IS NULL AND state IN ('queued', 'running') ORDER BY job_id FOR UPDATE SKIP LOCKED`,
      })
      const { rows } = await tx.query<Pick<Job, 'id' | 'attempt'>>({
        name: 'job.take_abandoned', // primary keys, staged_batch_open
        text: `UPDATE migration.job j SET dispatched_at = now(), attempt = attempt + 1
                WHERE j.job_id = ANY ($2)
                  AND (j.dispatched_at IS NULL OR j.dispatched_at < now() - $1 * interval '1 s')
                  AND NOT EXISTS (SELECT FROM migration.worker w
                                   WHERE w.worker_id = j.worker_id AND w.seen_at > now() - $1 * interval '1 s')
                  AND NOT EXISTS (SELECT FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                                   WHERE b.job_id = j.job_id AND b.outcomes IS NULL
                                     AND w.seen_at > now() - $1 * interval '1 s')
               RETURNING j.job_id AS id, j.attempt`,
        values: [this.#stallSeconds, unfinished.map(({ id }) => id)],
      })
      return rows
    })
  }

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

  async beat(workerId: string): Promise<void> {
    await this.#database.query({
      name: 'worker.beat', // primary key
      text: `INSERT INTO migration.worker (worker_id, seen_at) VALUES ($1, now())
                 ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`,
      values: [workerId],
    })
    await this.#database.query({
      name: 'worker.forget', // a scan over a handful of rows
      text: `DELETE FROM migration.worker WHERE seen_at < now() - interval '1 day'`,
    })
  }

  async forget(): Promise<void> {
    for (const forgetSome of [forgetEvents, forgetDocuments, forgetRecords]) {
      await this.#database.transaction(forgetSome, IN_BACKGROUND)
    }
  }
}

async function forgetEvents(database: Queryable): Promise<void> {
  await database.query({
    name: 'audit_event.forget', // primary key
    text: `DELETE FROM migration.audit_event WHERE at < now() - interval '400 days'`,
  })
}

async function forgetDocuments(database: Queryable): Promise<void> {
  await database.query({
    name: 'document.forget', // job_created, primary key
    text: `DELETE FROM migration.document_chunk c USING migration.job j
            WHERE c.job_id = j.job_id AND j.ended_at < now() - interval '15 minutes'`,
  })
}

async function forgetRecords(database: Queryable): Promise<void> {
  await database.query({
    name: 'staged_batch.forget', // primary keys
    text: `UPDATE migration.staged_batch b SET sealed = NULL FROM migration.job j
            WHERE b.job_id = j.job_id AND b.sealed IS NOT NULL
              AND (j.state IN ('succeeded', 'partial')
                   OR j.ended_at < now() - interval '1 day'
                   OR j.state = 'failed' AND NOT coalesce((j.error ->> 'resumable')::boolean, true))`,
  })
  await database.query({
    name: 'job.forget_credentials', // job_created
    text: `UPDATE migration.job SET sealed_credentials = NULL, sealed_upload = NULL
            WHERE (sealed_credentials IS NOT NULL OR sealed_upload IS NOT NULL)
              AND (state IN ('succeeded', 'partial') OR ended_at < now() - interval '1 day'
                   OR state = 'failed' AND NOT coalesce((error ->> 'resumable')::boolean, true))`,
  })
}

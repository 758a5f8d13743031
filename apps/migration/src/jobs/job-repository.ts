import { type Attempt, attemptEvent } from '@signet/admin-api/audit/audit-log'
import { type AuditEvent, auditTrail } from '@signet/admin-api/audit/audit-trail'
import type { Database, Queryable, Statement } from '@signet/platform/postgres/pool'
import type {
  AcceptedImport,
  Job,
  JobError,
  JobRepository,
  KnownJob,
  NewJob,
  NewUndo,
  ReceivedCall,
  Refusal,
} from './job.ts'
import { jsonForPostgres } from './json-for-postgres.ts'

/** The audit log of this service: calls of administrators and the ends of jobs. */
export const auditEvents = auditTrail('migration')

/** A worker without a heartbeat for `stallSeconds` is gone. */
export function createJobRepository(database: Database, stallSeconds: number): JobRepository {
  async function endRecorded(statement: Statement): Promise<void> {
    await database.transaction(async (tx) => {
      const { rows } = await tx.query<KnownJob & Pick<Job, 'state'>>(statement)
      await auditEvents.record(tx, ...rows.map((job) => jobEnded(job, job.state)))
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
      values: [jobId, state, error === undefined ? null : jsonForPostgres(error), notes ?? null],
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
        await auditEvents.record(tx, jobChanged(attempt, { id, kind }, 'start', auditedOptions(request)))
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
        await auditEvents.record(
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
      await checkDeadline(jobId)
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

    checkDeadline,
    finish: (jobId, { state, notes }) => end(jobId, state, { notes }),
    fail: (jobId, error) => end(jobId, 'failed', { error }),

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
            await auditEvents.record(tx, jobChanged(received.attempt, job, 'start', options))
          }
          await auditEvents.record(tx, jobEnded(job, 'failed'))
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
        if (rowCount === 1) await auditEvents.record(tx, jobChanged(attempt, job, 'cancel'))
        return rowCount === 1
      })
      await checkDeadline(job.id)
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
                  WHERE job_id = $1 AND state IN ('timed_out', 'cancelled', 'failed') AND NOT is_undone
                    AND NOT EXISTS (SELECT FROM migration.job other
                                     WHERE other.undo_of = job.undo_of AND other.ended_at IS NULL)
                    AND coalesce((error ->> 'resumable')::boolean, true) AND ended_at > now() - interval '1 day'
                 RETURNING attempt`,
          values: [job.id, timeoutMs ?? null],
        })
        if (rows.length > 0) await auditEvents.record(tx, jobChanged(attempt, job, 'resume'))
        return rows[0]?.attempt
      })
    },

    applyPlan(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined> {
      return database.transaction(
        async (tx) => {
          const { rows } = await tx.query<{ attempt: number }>({
            name: 'job.apply_plan', // primary key
            text: `UPDATE migration.job j
                      SET state = 'queued', phase = 'applying', ended_at = NULL, attempt = attempt + 1, dispatched_at = NULL,
                          request = request || '{"dryRun": false, "appliesPlan": true}',
                          timeout_ms = coalesce($2, timeout_ms),
                          deadline_at = now() + coalesce($2, timeout_ms) * interval '1 ms'
                    WHERE job_id = $1 AND ${IS_PLAN} AND resume_data AND ended_at > now() - interval '1 day'
                      AND NOT EXISTS (SELECT FROM migration.staged_batch b WHERE b.job_id = j.job_id AND b.plan IS NULL)
                   RETURNING attempt`,
            values: [job.id, timeoutMs ?? null],
          })
          if (rows.length === 0) return undefined
          await tx.query({
            name: 'staged_batch.begin_plan', // primary key
            text: `UPDATE migration.staged_batch SET outcomes = NULL, failures = NULL, notes = NULL, claimed_by = NULL
                    WHERE job_id = $1`,
            values: [job.id],
          })
          await auditEvents.record(tx, jobChanged(attempt, job, 'apply'))
          return rows[0]?.attempt
        },
        { kind: 'background' },
      )
    },

    addUndo({ id, importId, force, timeoutMs }: NewUndo, attempt: Attempt): Promise<boolean> {
      return database.transaction(
        async (tx) => {
          // Locks the import: of two undos at once the second sees the first.
          const { rowCount } = await tx.query({
            name: 'job.begin_undo', // primary key
            text: `UPDATE migration.job j SET is_undone = true
                    WHERE job_id = $1 AND kind = 'import' AND ended_at IS NOT NULL AND NOT ${IS_PLAN}`,
            values: [importId],
          })
          if (rowCount !== 1) return false
          const { rows: running } = await tx.query({
            name: 'job.running_undo', // job_undo_running
            text: 'SELECT FROM migration.job WHERE undo_of = $1 AND ended_at IS NULL',
            values: [importId],
          })
          if (running.length > 0) return false
          const request = { import: importId, force }
          await tx.query({
            name: 'job.add_undo',
            text: `INSERT INTO migration.job (job_id, kind, state, phase, created_by, actor_kind, request, timeout_ms, created_at,
                                              accepted_at, deadline_at, undo_of)
                   VALUES ($1, 'undo', 'queued', 'queued', $2, $3, $4, $5::bigint, now(), now(),
                           now() + $5::bigint * interval '1 ms', $6)`,
            values: [
              id,
              attempt.caller.userId,
              attempt.caller.kind,
              JSON.stringify(request),
              timeoutMs,
              importId,
            ],
          })
          await copyBatches(tx, importId, id)
          await auditEvents.record(tx, jobChanged(attempt, { id, kind: 'undo' }, 'start', request))
          return true
        },
        { kind: 'background' },
      )
    },
  }
}

/** A dry run that succeeded, as a condition on a job `j`. */
const IS_PLAN = `(j.kind = 'import' AND j.state IN ('succeeded', 'partial') AND coalesce((j.request ->> 'dryRun')::boolean, false))`

/**
 * The batches of an undo: those of its import that may have written something, in the opposite order of stages. The
 * outcome of a batch whose worker was lost is not known here.
 */
async function copyBatches(tx: Queryable, importId: string, undoId: string): Promise<void> {
  const values = [importId, undoId]
  await tx.query({
    name: 'staged_organization.copy', // primary key
    text: `INSERT INTO migration.staged_organization (job_id, ordinal, organization_id)
           SELECT $2, ordinal, organization_id FROM migration.staged_organization WHERE job_id = $1`,
    values,
  })
  await tx.query({
    name: 'staged_batch.copy', // primary key
    text: `INSERT INTO migration.staged_batch (job_id, batch, stage, ordinal, list, first_index, record_count, ids, entries,
                                               unique_keys, unique_at, indexes, left_out)
           SELECT $2, batch, -stage, ordinal, list, first_index, record_count, ids, entries, '{}', '{}', indexes, left_out
             FROM migration.staged_batch WHERE job_id = $1 AND coalesce(outcomes ~ '[cu]', true)`,
    values,
  })
}

/** A job as its statement selects it. */
export interface JobRow extends Omit<Job, 'counts'> {
  readonly invalid: number
  readonly total: number
  readonly done: number
  readonly outcomes: { readonly [letter in (typeof LETTERS)[number]]: number }
}

const LETTERS = ['c', 'u', 's', 'f', 'd', 'r', 'k'] as const
const countOf = (letter: string) =>
  `'${letter}', coalesce(sum(length(b.outcomes) - length(replace(b.outcomes, '${letter}', ''))), 0)`

/** Everything of a job `j`; counts by the primary key of staged_batch. */
const JOB_COLUMNS = `j.job_id AS id, j.kind, j.state, j.phase, j.created_by AS "createdBy", j.actor_kind AS "actorKind",
  j.request, j.attempt, j.timeout_ms AS "timeoutMs", j.created_at AS "createdAt", j.accepted_at AS "acceptedAt",
  j.deadline_at AS "deadlineAt", j.started_at AS "startedAt", j.ended_at AS "endedAt", j.error, j.notes,
  j.state IN ('timed_out', 'cancelled', 'failed') AND coalesce((j.error ->> 'resumable')::boolean, true)
    AND NOT j.is_undone AND j.ended_at > now() - interval '1 day' AS resumable,
  j.is_undone AS "isUndone",
  CASE WHEN ${IS_PLAN} AND j.resume_data AND j.ended_at > now() - interval '1 day' THEN j.ended_at + interval '1 day' END AS "planExpiresAt",
  j.done,
  CASE j.kind WHEN 'export' THEN j.total
       ELSE (SELECT coalesce(sum(b.record_count - cardinality(b.left_out)), 0)
               FROM migration.staged_batch b WHERE b.job_id = j.job_id) END AS total,
  (SELECT coalesce(sum(r.record_count), 0) FROM migration.rejected_batch r
    WHERE r.job_id = j.job_id AND NOT r.imported) AS invalid,
  EXISTS (SELECT FROM migration.rejected_batch r WHERE r.job_id = j.job_id AND r.sealed IS NOT NULL) AS "hasRejects",
  (SELECT jsonb_build_object(${LETTERS.map(countOf).join(', ')})
     FROM migration.staged_batch b WHERE b.job_id = j.job_id AND b.outcomes IS NOT NULL) AS outcomes`

function toJob({ total, done, invalid, outcomes, ...job }: JobRow): Job {
  const { c: created, u: updated, s: skipped, f: failed, d: deleted, r: restored, k: kept } = outcomes
  const counts = {
    total,
    done: done + created + updated + skipped + failed + deleted + restored + kept,
    created,
    updated,
    skipped,
    failed,
    invalid,
    deleted,
    restored,
    kept,
  }
  return { ...job, counts }
}

const target = ({ id }: KnownJob) => ({ kind: 'job', id })

/** An administrator starts, applies, cancels or resumes a job. */
function jobChanged(
  attempt: Attempt,
  job: KnownJob,
  verb: 'start' | 'apply' | 'cancel' | 'resume',
  details: AuditEvent['details'] = {},
): AuditEvent {
  const change = { ...attempt, action: `${job.kind}.${verb}`, target: target(job) }
  return attemptEvent(change, { result: 'success', details })
}

/** A job ends; by what it was asked to do, or because its time is over. */
function jobEnded(job: KnownJob, state: string): AuditEvent {
  return {
    actor: { kind: 'service' },
    action: `${job.kind}.end`,
    target: target(job),
    result: state === 'failed' ? 'failed' : 'success',
    details: { state },
  }
}

/**
 * The audited part of a request: options and the kind of storage, never a storage location or a credential.
 */
function auditedOptions(request: Readonly<Record<string, unknown>>): AuditEvent['details'] {
  const plain = Object.entries(request).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value),
  )
  return Object.fromEntries(plain.map(([name, value]) => [name, value as string | boolean | string[]]))
}

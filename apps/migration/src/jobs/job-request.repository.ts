import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { currentRequestId } from '@signet/platform/runtime/current-request'
import type { JobRepository, KnownJob, NewUndo } from './job.ts'
import { auditTable, jobChanged } from './job-audit.ts'
import { HAS_SET_ASIDE, IS_PLAN } from './job-row.ts'
import { retrySetAside } from './set-aside.ts'

/** The calls of administrators for a job that has ended: resume it, apply its plan, take it back. */
export function createJobRequests(
  database: Database,
): Pick<JobRepository, 'resume' | 'applyPlan' | 'addUndo'> {
  return {
    resume: (job, attempt, timeoutMs) => resume(database, { job, timeoutMs }, attempt),
    applyPlan: (job, attempt, timeoutMs) => applyPlan(database, { job, timeoutMs }, attempt),
    addUndo: (undo, attempt) => addUndo(database, undo, attempt),
  }
}

/** A job that goes on, with its whole timeout or another one. */
interface ContinuedJob {
  readonly job: KnownJob
  readonly timeoutMs: number | undefined
}

function resume(
  database: Database,
  { job, timeoutMs }: ContinuedJob,
  attempt: Attempt,
): Promise<number | undefined> {
  return database.transaction(async (tx) => {
    // As a new undo does, so that of two undos at once one sees the other.
    await tx.query({
      name: 'job.lock_undone', // primary keys
      text: `SELECT FROM migration.job WHERE job_id = (SELECT undo_of FROM migration.job WHERE job_id = $1) FOR UPDATE`,
      values: [job.id],
    })
    const { rows } = await tx.query<{ attempt: number }>({
      name: 'job.resume', // primary key
      text: `UPDATE migration.job j SET state = 'queued', ended_at = NULL, stop_as = NULL, error = NULL, attempt = attempt + 1,
                    dispatched_at = NULL, request_id = $3,
                    timeout_ms = coalesce($2, timeout_ms),
                    deadline_at = now() + coalesce($2, timeout_ms) * interval '1 ms'
              WHERE job_id = $1 AND NOT is_undone
                AND (state IN ('timed_out', 'cancelled', 'failed') OR state = 'partial' AND ${HAS_SET_ASIDE})
                AND NOT EXISTS (SELECT FROM migration.job other
                                 WHERE other.undo_of = j.undo_of AND other.ended_at IS NULL)
                AND coalesce((error ->> 'resumable')::boolean, true) AND ended_at > now() - interval '1 day'
             RETURNING attempt`,
      values: [job.id, timeoutMs ?? null, currentRequestId() ?? null],
    })
    if (rows.length === 0) return undefined
    await retrySetAside(tx, job.id)
    await auditTable.record(tx, jobChanged(attempt, job, 'resume'))
    return rows[0]?.attempt
  })
}

function applyPlan(
  database: Database,
  { job, timeoutMs }: ContinuedJob,
  attempt: Attempt,
): Promise<number | undefined> {
  return database.transaction(
    async (tx) => {
      const { rows } = await tx.query<{ attempt: number }>({
        name: 'job.apply_plan', // primary key
        text: `UPDATE migration.job j
                  SET state = 'queued', phase = 'comparing', ended_at = NULL, attempt = attempt + 1, dispatched_at = NULL,
                      request_id = $5, request = request || jsonb_build_object('dryRun', false, 'appliesPlan', true,
                                                      'appliedBy', $3::text, 'appliedByKind', $4::text),
                      timeout_ms = coalesce($2, timeout_ms),
                      deadline_at = now() + coalesce($2, timeout_ms) * interval '1 ms'
                WHERE job_id = $1 AND ${IS_PLAN} AND resume_data AND ended_at > now() - interval '1 day'
                  AND NOT EXISTS (SELECT FROM migration.staged_batch b WHERE b.job_id = j.job_id AND b.plan IS NULL)
               RETURNING attempt`,
        values: [
          ...[job.id, timeoutMs ?? null, attempt.caller.userId, attempt.caller.kind],
          currentRequestId() ?? null,
        ],
      })
      if (rows.length === 0) return undefined
      await tx.query({
        name: 'staged_batch.begin_plan', // primary key
        text: `UPDATE migration.staged_batch SET outcomes = NULL, failures = NULL, with_changes = 0, notes = NULL, claimed_by = NULL
                WHERE job_id = $1`,
        values: [job.id],
      })
      await auditTable.record(tx, jobChanged(attempt, job, 'apply'))
      return rows[0]?.attempt
    },
    { kind: 'background' },
  )
}

function addUndo(
  database: Database,
  { id, importId, force, timeoutMs }: NewUndo,
  attempt: Attempt,
): Promise<boolean> {
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
                                          accepted_at, deadline_at, undo_of, request_id)
               VALUES ($1, 'undo', 'queued', 'queued', $2, $3, $4, $5::bigint, now(), now(),
                       now() + $5::bigint * interval '1 ms', $6, $7)`,
        values: [
          id,
          attempt.caller.userId,
          attempt.caller.kind,
          JSON.stringify(request),
          timeoutMs,
          importId,
          currentRequestId() ?? null,
        ],
      })
      await copyBatches(tx, importId, id)
      await auditTable.record(tx, jobChanged(attempt, { id, kind: 'undo' }, 'start', request))
      return true
    },
    { kind: 'background' },
  )
}

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
                                               unique_keys, unique_at, indexes, left_out, call_share)
           SELECT $2, batch, -stage, ordinal, list, first_index, record_count, ids, entries, '{}', '{}', indexes, left_out, call_share
             FROM migration.staged_batch WHERE job_id = $1 AND (is_set_aside OR coalesce(outcomes ~ '[cu]', true))`,
    values,
  })
}

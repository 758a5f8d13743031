import type { Job } from './job.ts'

/** $2 is a phase. A late worker of the dry run must not move its plan on: only `beginNextPhase` ends the phase `comparing`. */
export const MAY_BEGIN = "(phase <> 'comparing' OR $2 = 'comparing')"

/** A dry run that succeeded, as a condition on a job `j`. */
export const IS_PLAN = `(j.kind = 'import' AND j.state IN ('succeeded', 'partial') AND coalesce((j.request ->> 'dryRun')::boolean, false))`

/** A job `j` with batches that were set aside; by the primary key of staged_batch. */
export const HAS_SET_ASIDE =
  'EXISTS (SELECT FROM migration.staged_batch a WHERE a.job_id = j.job_id AND a.is_set_aside)'

/** A job as its statement selects it. */
export interface JobRow extends Omit<Job, 'counts'> {
  readonly invalid: number
  readonly total: number
  readonly done: number
  readonly withChanges: number
  readonly outcomes: { readonly [letter in (typeof LETTERS)[number]]: number }
}

const LETTERS = ['c', 'u', 's', 'f', 'b', 'd', 'r', 'k'] as const
const countOf = (letter: string) =>
  `'${letter}', length(o.letters) - length(replace(o.letters, '${letter}', ''))`

/**
 * All columns of a job `j`, with `JOB_COUNTS`, which reads the primary key of staged_batch. Counting in the joined letters of
 * all batches is faster than counting in those of each.
 */
export const JOB_COLUMNS = `j.job_id AS id, j.kind, j.state, j.phase, j.created_by AS "createdBy", j.actor_kind AS "actorKind",
  j.request, j.attempt, j.timeout_ms AS "timeoutMs", j.created_at AS "createdAt", j.accepted_at AS "acceptedAt",
  j.deadline_at AS "deadlineAt", j.started_at AS "startedAt", j.ended_at AS "endedAt", j.error, j.notes, j.records,
  (j.state IN ('timed_out', 'cancelled', 'failed') OR j.state = 'partial' AND ${HAS_SET_ASIDE}) AND coalesce((j.error ->> 'resumable')::boolean, true)
    AND NOT j.is_undone AND j.ended_at > now() - interval '1 day' AS resumable,
  j.is_undone AS "isUndone", j.request_id AS "requestId",
  CASE WHEN ${IS_PLAN} AND NOT ${HAS_SET_ASIDE} AND j.resume_data AND j.ended_at > now() - interval '1 day' THEN j.ended_at + interval '1 day' END AS "planExpiresAt",
  j.done, j.credentials,
  o.with_changes AS "withChanges", CASE j.kind WHEN 'export' THEN j.total ELSE o.records END AS total,
  (SELECT coalesce(sum(r.record_count), 0) FROM migration.rejected_batch r
    WHERE r.job_id = j.job_id AND NOT r.imported) AS invalid,
  EXISTS (SELECT FROM migration.rejected_batch r WHERE r.job_id = j.job_id AND r.sealed IS NOT NULL) AS "hasRejects",
  jsonb_build_object(${LETTERS.map(countOf).join(', ')}) AS outcomes`

/** The counts of a job `j` that `JOB_COLUMNS` needs. */
export const JOB_COUNTS = `CROSS JOIN LATERAL (
  SELECT coalesce(sum(b.record_count - cardinality(b.left_out)), 0) AS records, coalesce(string_agg(b.outcomes, ''), '') AS letters,
         coalesce(sum(b.with_changes), 0)::int AS with_changes
    FROM migration.staged_batch b WHERE b.job_id = j.job_id) o`

export function toJob({ total, done, withChanges, invalid, outcomes, ...job }: JobRow): Job {
  const {
    c: created,
    u: updated,
    s: skipped,
    f: failed,
    b: blocked,
    d: deleted,
    r: restored,
    k: kept,
  } = outcomes
  const counts = {
    total,
    done: done + created + updated + skipped + failed + blocked + deleted + restored + kept,
    created,
    updated,
    skipped,
    failed,
    blocked,
    invalid,
    withChanges,
    deleted,
    restored,
    kept,
  }
  return { ...job, counts }
}

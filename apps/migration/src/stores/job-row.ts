import type { Job } from '../runs/job.ts'

/** A job as its statement selects it. */
export interface JobRow extends Omit<Job, 'counts'> {
  readonly total: number
  readonly done: number
  readonly outcomes: { readonly [letter in 'c' | 'u' | 's' | 'f']: number }
}

const LETTERS = ['c', 'u', 's', 'f']
const countOf = (letter: string) =>
  `'${letter}', coalesce(sum(length(b.outcomes) - length(replace(b.outcomes, '${letter}', ''))), 0)`

/** Everything of a job `j`; counts by the primary key of staged_batch. */
export const JOB_COLUMNS = `j.job_id AS id, j.kind, j.state, j.phase, j.created_by AS "createdBy", j.actor_kind AS "actorKind",
  j.request, j.attempt, j.timeout_ms AS "timeoutMs", j.created_at AS "createdAt", j.accepted_at AS "acceptedAt",
  j.deadline_at AS "deadlineAt", j.started_at AS "startedAt", j.ended_at AS "endedAt", j.error, j.notes,
  j.state IN ('timed_out', 'cancelled', 'failed') AND coalesce((j.error ->> 'resumable')::boolean, true)
    AND j.ended_at > now() - interval '1 day' AS resumable,
  j.done,
  CASE j.kind WHEN 'export' THEN j.total
       ELSE (SELECT coalesce(sum(b.record_count), 0) FROM migration.staged_batch b WHERE b.job_id = j.job_id) END AS total,
  (SELECT jsonb_build_object(${LETTERS.map(countOf).join(', ')})
     FROM migration.staged_batch b WHERE b.job_id = j.job_id AND b.outcomes IS NOT NULL) AS outcomes`

export function toJob({ total, done, outcomes, ...job }: JobRow): Job {
  const { c: created, u: updated, s: skipped, f: failed } = outcomes
  const counts = {
    total,
    done: done + created + updated + skipped + failed,
    created,
    updated,
    skipped,
    failed,
  }
  return { ...job, counts }
}

import type { Queryable } from '@signet/platform/postgres/pool'
import type { ClaimedBatch, Failure } from './staged-batch.ts'

/** Number of workers that are lost with a batch before it is set aside. */
export const MOST_LOST_WORKERS = 3

const RULES = {
  import: 'the worker ended three times while it wrote these records',
  undo: 'the worker ended three times while it took these records back',
} as const

/** The beginning of the notes about batches that are set aside; they go when the job is resumed. */
const SET_ASIDE_NOTE = 'set aside: '

/**
 * Ends a batch without another try: its records fail (of an undo: are kept) with the rule, and a note names list,
 * organization, first and last record. Nothing happens to a batch that has an outcome.
 */
export async function setAside(
  tx: Queryable,
  jobId: string,
  { batch, recordCount, leftOut, organizationId }: ClaimedBatch,
  kind: keyof typeof RULES,
): Promise<void> {
  const rule = RULES[kind]
  const positions = new Set(leftOut)
  const letter = kind === 'undo' ? 'k' : 'f'
  const letters = Array.from({ length: recordCount }, (_, at) => (positions.has(at) ? 'x' : letter))
  const failures = letters.flatMap((found, index): readonly Failure[] =>
    found === 'x' ? [] : [{ index, message: rule }],
  )
  await tx.query({
    name: 'staged_batch.set_aside', // primary keys
    text: `WITH aside AS (
             UPDATE migration.staged_batch
                SET is_set_aside = true, outcomes = $3, failures = $4,
                    notes = ARRAY[format('${SET_ASIDE_NOTE}%s[%s] to %s[%s] of organization %s: %s; signet jobs resume tries them again',
                                         list, coalesce(indexes[1], first_index),
                                         list, coalesce(indexes[record_count], first_index + record_count - 1), $5::text, $6::text)]
              WHERE job_id = $1 AND batch = $2 AND outcomes IS NULL RETURNING unique_keys)
           DELETE FROM migration.staged_key k USING aside a WHERE k.job_id = $1 AND k.unique_key = ANY (a.unique_keys)`,
    values: [jobId, batch, letters.join(''), JSON.stringify(failures), organizationId, rule],
  })
}

/** Lets a resumed job try batches again that were set aside. */
export async function retrySetAside(tx: Queryable, jobId: string): Promise<void> {
  await tx.query({
    name: 'staged_batch.retry_set_aside', // primary key
    text: `UPDATE migration.staged_batch
              SET is_set_aside = false, lost_workers = '{}', claimed_by = NULL, outcomes = NULL, failures = NULL, notes = NULL
            WHERE job_id = $1 AND is_set_aside`,
    values: [jobId],
  })
  await tx.query({
    name: 'job.forget_set_aside', // primary key
    text: `UPDATE migration.job SET notes = ARRAY(SELECT note FROM unnest(notes) AS n (note) WHERE note NOT LIKE '${SET_ASIDE_NOTE}%')
            WHERE job_id = $1`,
    values: [jobId],
  })
}

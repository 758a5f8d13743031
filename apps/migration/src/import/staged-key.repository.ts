import type { Queryable } from '@signet/platform/postgres/pool'
import type { Duplicate } from '../jobs/staged-batch.ts'

/** The unique keys of a job, as u; $1 is its id. Below them what each is compared by: `@/` stands for its organization. */
const KEYS = 'migration.staged_batch b, unnest(b.unique_keys, b.unique_at) AS u (key, at) WHERE b.job_id = $1'
const KEY = `CASE WHEN u.key LIKE '@/%' THEN b.ordinal || u.key ELSE u.key END`
const INDEX = 'coalesce(b.indexes[u.at + 1], b.first_index + u.at)'
const KEY_HASH = `hashtextextended(${KEY}, 0)`

/** Records of a job that share what must be unique, at most `most` of them; reads every key of the job. */
export async function findDuplicates(
  tx: Queryable,
  jobId: string,
  most: number,
): Promise<readonly Duplicate[]> {
  // Nearly always there are none, and sorting numbers takes half as long as sorting keys.
  const { rows: twice } = await tx.query<{ hash: string }>({
    name: 'staged_batch.equal_hashes', // primary key; sorts a number for every key of the job
    text: `SELECT hash::text FROM (SELECT ${KEY_HASH} AS hash FROM ${KEYS}) AS keys
              GROUP BY hash HAVING count(*) > 1 LIMIT $2`,
    values: [jobId, most],
  })
  if (twice.length === 0) return []
  const { rows } = await tx.query<Duplicate>({
    name: 'staged_batch.duplicates', // primary key; hashes every key of the job
    text: `SELECT ordinal, list, index, key
               FROM (SELECT b.ordinal, b.list, ${INDEX} AS index, ${KEY} AS key,
                            row_number() OVER (PARTITION BY ${KEY} ORDER BY b.batch, u.at) AS nth
                       FROM ${KEYS} AND ${KEY_HASH} = ANY ($3::bigint[])) AS found
              WHERE nth > 1 ORDER BY ordinal, list, index LIMIT $2`,
    values: [jobId, most, twice.map(({ hash }) => hash)],
  })
  return rows
}

/**
 * Leaves out duplicates, in the order of `findDuplicates`. A record is left out also where the earlier one is left
 * out for another key.
 */
export async function leaveOutDuplicates(tx: Queryable, jobId: string): Promise<void> {
  // One worker after the other: both change the same rows.
  await tx.query({
    name: 'staged_batch.lock_job', // primary key
    text: 'SELECT FROM migration.job WHERE job_id = $1 FOR UPDATE',
    values: [jobId],
  })
  await tx.query({
    name: 'staged_batch.leave_out_duplicates', // primary key; sorts every key of the job
    text: `WITH later AS (
             SELECT batch, array_agg(DISTINCT at ORDER BY at) AS positions
               FROM (SELECT b.batch, u.at, row_number() OVER (PARTITION BY ${KEY} ORDER BY b.batch, u.at) AS nth
                       FROM ${KEYS}) AS found
              WHERE nth > 1 GROUP BY batch)
           UPDATE migration.staged_batch b SET left_out = later.positions
             FROM later WHERE b.job_id = $1 AND b.batch = later.batch AND b.left_out <> later.positions`,
    values: [jobId],
  })
}

/** Writes down which organization brings each unique key; reads every key of the job. */
export async function planKeys(tx: Queryable, jobId: string): Promise<void> {
  await tx.query({
    name: 'staged_key.plan', // primary keys
    text: `INSERT INTO migration.staged_key (job_id, unique_key, organization_id)
             SELECT DISTINCT ON (u.key) b.job_id, u.key, o.organization_id
               FROM migration.staged_batch b
               JOIN migration.staged_organization o USING (job_id, ordinal), unnest(b.unique_keys) AS u (key)
              WHERE b.job_id = $1 AND u.key NOT LIKE '@/%'
                 ON CONFLICT DO NOTHING`,
    values: [jobId],
  })
}

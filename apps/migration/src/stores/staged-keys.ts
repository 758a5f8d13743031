import type { Queryable } from '@signet/platform/postgres/pool'

export interface Duplicate {
  readonly ordinal: number
  readonly list: string
  readonly index: number
  readonly key: string
}

/** The unique keys of a job, as u; $1 is its id. Below them what each is compared by: `@/` stands for its organization. */
const KEYS = 'migration.staged_batch b, unnest(b.unique_keys, b.unique_at) AS u (key, at) WHERE b.job_id = $1'
const KEY = `CASE WHEN u.key LIKE '@/%' THEN b.ordinal || u.key ELSE u.key END`
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
               FROM (SELECT b.ordinal, b.list, b.first_index + u.at AS index, ${KEY} AS key,
                            row_number() OVER (PARTITION BY ${KEY} ORDER BY b.batch, b.first_index + u.at) AS nth
                       FROM ${KEYS} AND ${KEY_HASH} = ANY ($3::bigint[])) AS found
              WHERE nth > 1 ORDER BY ordinal, list, index LIMIT $2`,
    values: [jobId, most, twice.map(({ hash }) => hash)],
  })
  return rows
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

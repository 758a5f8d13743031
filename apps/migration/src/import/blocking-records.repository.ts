import type { Database } from '@signet/platform/postgres/pool'

/** A record of a document that is not imported, by its unique key. */
export interface BlockingRecord {
  readonly key: string
  /** The user name or client id, where the record has one. */
  readonly name: string | null
}

export interface BlockingRecordRepository {
  /** Returns those of the keys whose records are in the document of a job and are not imported. */
  find(jobId: string, keys: readonly string[]): Promise<readonly BlockingRecord[]>
}

/** The beginning of the unique keys of the records of each list that others refer to. */
const KINDS = {
  organization: 'organization',
  humanUsers: 'principal',
  machineUsers: 'principal',
  projects: 'project',
  oidcApps: 'application',
  apiApps: 'application',
  oidcIdps: 'idp',
} as const

export function createBlockingRecordRepository(database: Database): BlockingRecordRepository {
  return {
    async find(jobId, keys) {
      const { rows } = await database.query<BlockingRecord>({
        name: 'staged_batch.blocking', // primary keys
        text: `SELECT u.key, (SELECT f ->> 'record' FROM jsonb_array_elements(b.failures) AS f
                               WHERE (f ->> 'index')::integer = u.at AND f ? 'record' LIMIT 1) AS name
                 FROM migration.staged_batch b, unnest(b.unique_keys, b.unique_at) AS u (key, at)
                WHERE b.job_id = $1 AND (b.failures IS NOT NULL OR b.left_out <> '{}') AND b.unique_keys && $2::text[]
                  AND u.key = ANY ($2::text[]) AND substr(b.outcomes, u.at + 1, 1) IN ('f', 'b', 'x')
               UNION ALL
               SELECT k.kind || '/' || (p ->> 'id'), NULL
                 FROM migration.rejected_batch r
                 JOIN unnest($3::text[], $4::text[]) AS k (list, kind) USING (list), jsonb_array_elements(r.problems) AS p
                WHERE r.job_id = $1 AND NOT r.imported AND k.kind || '/' || (p ->> 'id') = ANY ($2::text[])`,
        values: [jobId, keys, Object.keys(KINDS), Object.values(KINDS)],
      })
      return rows
    },
  }
}

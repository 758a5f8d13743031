import type { Database } from '@signet/platform/postgres/pool'
import { auditTable, jobChanged } from '../jobs/job-audit.ts'
import {
  MOST_PEOPLE_OF_A_NAME,
  MOST_WRONG_SIGN_INS,
  type RehearsalRepository,
  type SealedRecords,
  type StagedPlace,
} from './rehearsal.ts'

const COLUMNS = 'batch, ordinal, ids, outcomes, sealed'
/** Batches of about 1 MiB that are read at a time. */
const PAGE = 5
const OVER_A_JOB = { kind: 'long' } as const

export function createRehearsalRepository(database: Database): RehearsalRepository {
  return {
    async reserve(jobId) {
      const { rowCount } = await database.query({
        name: 'job.reserve_wrong_sign_in', // primary key
        text: `UPDATE migration.job SET wrong_sign_ins = wrong_sign_ins + 1 WHERE job_id = $1 AND wrong_sign_ins < $2`,
        values: [jobId, MOST_WRONG_SIGN_INS],
      })
      return rowCount === 1
    },

    async giveBack(jobId) {
      await database.query({
        name: 'job.give_back_wrong_sign_in', // primary key
        text: 'UPDATE migration.job SET wrong_sign_ins = wrong_sign_ins - 1 WHERE job_id = $1 AND wrong_sign_ins > 0',
        values: [jobId],
      })
    },

    async left(jobId) {
      const { rows } = await database.query<{ left: number }>({
        name: 'job.wrong_sign_ins_left', // primary key
        text: 'SELECT $2 - wrong_sign_ins AS left FROM migration.job WHERE job_id = $1',
        values: [jobId, MOST_WRONG_SIGN_INS],
      })
      return rows[0]?.left ?? 0
    },

    findPeople: (jobId, names) => findPeople(database, jobId, names),

    batchesOfPeople: (jobId) =>
      pages(async (last) => {
        const { rows } = await database.query<SealedRecords>({
          name: 'staged_batch.people', // primary key
          text: `SELECT ${COLUMNS} FROM migration.staged_batch
                  WHERE job_id = $1 AND batch > $2 AND list = 'humanUsers' ORDER BY batch LIMIT ${PAGE}`,
          values: [jobId, last],
        })
        return rows
      }),

    batches: (jobId, batches) =>
      pages(async (last) => {
        const { rows } = await database.query<SealedRecords>({
          name: 'staged_batch.some', // primary key
          text: `SELECT ${COLUMNS} FROM migration.staged_batch
                  WHERE job_id = $1 AND batch > $2 AND batch = ANY ($3::integer[]) ORDER BY batch LIMIT ${PAGE}`,
          values: [jobId, last, batches],
        })
        return rows
      }),

    organizations: (jobId, ordinals) =>
      pages(async (last) => {
        const { rows } = await database.query<SealedRecords>({
          name: 'staged_batch.organizations', // staged_batch_place
          text: `SELECT ${COLUMNS} FROM migration.staged_batch
                  WHERE job_id = $1 AND batch > $2 AND list = 'organization' AND ordinal = ANY ($3::integer[])
                  ORDER BY batch LIMIT ${PAGE}`,
          values: [jobId, last, ordinals],
        })
        return rows
      }),

    async record(job, attempt, counts) {
      await auditTable.record(database, jobChanged(attempt, job, 'rehearse', { ...counts }))
    },
  }
}

async function findPeople(
  database: Database,
  jobId: string,
  { everywhere, inDomains, domains }: Parameters<RehearsalRepository['findPeople']>[1],
): Promise<readonly StagedPlace[]> {
  const statement = {
    // primary key, staged_batch_place; compares every key of the people and every domain of the job
    name: 'staged_batch.find_people',
    text: `WITH found AS MATERIALIZED (
             SELECT b.batch, b.ordinal, u.at, u.key
               FROM migration.staged_batch b, unnest(b.unique_keys, b.unique_at) AS u (key, at)
              WHERE b.job_id = $1 AND b.list = 'humanUsers' AND (u.key = ANY ($2::text[]) OR u.key = ANY ($3::text[]))),
           owner AS (
             SELECT b.ordinal
               FROM migration.staged_batch b, jsonb_array_elements(b.entries) AS e (entry),
                    jsonb_array_elements_text(e.entry -> 'domains') AS d (domain)
              WHERE b.job_id = $1 AND b.list = 'organization' AND d.domain = ANY ($4::text[]))
           SELECT batch, at
             FROM (SELECT batch, at, row_number() OVER (PARTITION BY key ORDER BY batch, at) AS nth
                     FROM found WHERE key = ANY ($2::text[])) AS numbered
            WHERE nth <= $5
           UNION
           SELECT batch, at FROM found JOIN owner USING (ordinal) WHERE key = ANY ($3::text[])`,
    values: [jobId, everywhere, inDomains, domains, MOST_PEOPLE_OF_A_NAME],
  }
  const { rows } = await database.transaction((tx) => tx.query<StagedPlace>(statement), OVER_A_JOB)
  return rows
}

/** Reads batches a page at a time. */
async function* pages(
  read: (last: number) => Promise<readonly SealedRecords[]>,
): AsyncIterable<SealedRecords> {
  for (let last = -1; ; ) {
    const rows = await read(last)
    yield* rows
    if (rows.length < PAGE) return
    last = rows.at(-1)?.batch ?? last
  }
}

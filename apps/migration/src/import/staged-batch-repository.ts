import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { ImportRequest } from '../jobs/job.ts'

export interface NewBatch {
  readonly batch: number
  readonly stage: number
  readonly ordinal: number
  readonly list: string
  readonly firstIndex: number
  /** Of each record in its list; undefined when they follow one another from `firstIndex` on. */
  readonly indexes: readonly number[] | undefined
  /** Records without their invalid credentials. */
  readonly withoutCredentials: boolean
  readonly ids: readonly string[]
  readonly entries: readonly unknown[] | undefined
  readonly unique: readonly { readonly key: string; readonly at: number }[]
  readonly sealed: Buffer
}

export interface ClaimedBatch {
  readonly batch: number
  readonly stage: number
  readonly list: string
  readonly organizationId: string
  readonly recordCount: number
  readonly ids: readonly string[]
  /** Null in an undo. */
  readonly sealed: Buffer | null
  /** Of a dry run, for the import that applies it. */
  readonly plan: Buffer | null
  /** Positions of records that are not imported. */
  readonly leftOut: readonly number[]
}

/** A batch with records that share what must be unique with earlier ones. */
export interface DuplicatesBatch {
  readonly batch: number
  readonly ordinal: number
  readonly list: string
  readonly firstIndex: number
  readonly indexes: readonly number[] | null
  readonly ids: readonly string[]
  readonly sealed: Buffer
  readonly leftOut: readonly number[]
}

/** A record that failed, or a part that was left out of one that was written. */
export interface Failure {
  readonly index: number
  readonly message: string
  /** Of a part that is an object of its own. */
  readonly type?: string
  readonly id?: string
}

export interface AppliedBatch {
  readonly batch: number
  readonly outcomes: string
  readonly failures: readonly Failure[]
  readonly notes: readonly string[]
  /** Of a dry run. */
  readonly plan?: { readonly sealed: Buffer; readonly changes: readonly PlannedChange[] }
}

/** The fields that an update would change. */
export interface PlannedChange {
  readonly index: number
  readonly fields: readonly string[]
}

/** One list of a report, with what became of its records. */
export interface ReportedBatch {
  readonly batch: number
  readonly ordinal: number
  readonly organizationId: string | null
  readonly list: string
  readonly firstIndex: number
  readonly indexes: readonly number[] | null
  readonly ids: readonly string[]
  readonly entries: readonly unknown[] | null
  readonly outcomes: string | null
  readonly failures: AppliedBatch['failures'] | null
  readonly changes: readonly PlannedChange[] | null
}

/** The records of a document, in batches, until they are applied. */
export interface StagedBatchRepository {
  add(jobId: string, batch: NewBatch): Promise<void>
  nameOrganization(jobId: string, ordinal: number, organizationId: string): Promise<void>
  /** Forgets everything that was staged, so that this attempt can begin; false when a later one has the job by now. */
  clear(jobId: string, attempt: number): Promise<boolean>
  /** Drops what this import does not ask for: records without their invalid credentials, or the rejects that they come from. */
  decide(jobId: string, onInvalid: NonNullable<ImportRequest['onInvalid']>): Promise<void>
  /** Records that share what must be unique with an earlier one, at most `most` of them. */
  duplicates(jobId: string, most: number): Promise<readonly Duplicate[]>
  /** Marks every record that shares what must be unique with an earlier one as left out. Repeating it changes nothing. */
  leaveOutDuplicates(jobId: string): Promise<void>
  /** The batches that have such records, and the batches with the fields of their organizations. */
  batchesWithDuplicates(jobId: string): AsyncIterable<DuplicatesBatch>
  /** Writes down what a dry run takes for done. Repeating it changes nothing. */
  planKeys(jobId: string): Promise<void>
  /** Of these keys those that the document brings, with the organization. */
  plannedKeys(jobId: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Claims the next batch of the lowest stage that is not done; no other worker gets it while this one is
   * alive. `waiting`: others work on the rest of the stage; `done`: nothing is left. Batches of service users
   * are claimed one after the other, and after all people: the id of a person may be the client id of a
   * service user, and its owner must not depend on timing.
   */
  claim(jobId: string, workerId: string): Promise<ClaimedBatch | 'waiting' | 'done' | 'stopped'>
  /** Gives a batch back that this worker could not apply. */
  release(jobId: string, batch: number, workerId: string): Promise<void>
  /** With a plan it also takes the keys of records that fail out of what the dry run takes for done. */
  complete(jobId: string, batch: AppliedBatch): Promise<void>
  /** In the order of the result: organization by organization, list by list. */
  report(jobId: string): AsyncIterable<ReportedBatch>
  /** Whether a record, or a part of one, was not imported. */
  hasFailures(jobId: string): Promise<boolean>
  /** Each once; those that begin with a number and are equal behind it are one note with the sum. */
  notes(jobId: string, most: number): Promise<ReportedNotes>
}

type ReportedNotes = { readonly notes: readonly string[]; readonly total: number }
const REPORT_PAGE = 5
/** Statements that read or delete everything that a document brought. */
const OVER_A_JOB = { kind: 'long' } as const

const FIRST_FIRST = { name: 'forward', direction: 'ASC', waits: '' } as const
/**
 * An undo takes the last batch back first: several batches may have updated one object. They are those of the members
 * of projects, which a document repeats in each organization, so these do not run beside each other.
 */
const LAST_FIRST = {
  name: 'backward',
  direction: 'DESC',
  waits: `AND NOT (c.list = 'projectMembers' AND EXISTS (
                          SELECT FROM migration.staged_batch e
                           WHERE e.job_id = c.job_id AND e.stage = c.stage AND e.outcomes IS NULL
                             AND e.list = c.list AND e.batch > c.batch))`,
} as const

export class PostgresStagedBatchRepository implements StagedBatchRepository {
  readonly #database: Database
  readonly #stallSeconds: number

  constructor(database: Database, stallSeconds: number) {
    this.#database = database
    this.#stallSeconds = stallSeconds
  }

  async add(jobId: string, batch: NewBatch): Promise<void> {
    const { unique, entries, ids } = batch
    await this.#database.query({
      name: 'staged_batch.add',
      text: `INSERT INTO migration.staged_batch (job_id, batch, stage, ordinal, list, first_index, record_count, ids, entries,
                                                 unique_keys, unique_at, sealed, indexes, without_credentials)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      values: [
        jobId,
        batch.batch,
        batch.stage,
        batch.ordinal,
        batch.list,
        batch.firstIndex,
        ids.length,
        ids,
        entries === undefined ? null : JSON.stringify(entries),
        unique.map(({ key }) => key),
        unique.map(({ at }) => at),
        batch.sealed,
        batch.indexes ?? null,
        batch.withoutCredentials,
      ],
    })
  }

  async nameOrganization(jobId: string, ordinal: number, organizationId: string): Promise<void> {
    await this.#database.query({
      name: 'staged_organization.add',
      text: 'INSERT INTO migration.staged_organization (job_id, ordinal, organization_id) VALUES ($1, $2, $3)',
      values: [jobId, ordinal, organizationId],
    })
  }

  clear(jobId: string, attempt: number): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: 'staged_batch.may_clear', // primary key
        text: 'SELECT FROM migration.job WHERE job_id = $1 AND attempt = $2 FOR UPDATE',
        values: [jobId, attempt],
      })
      if (rowCount !== 1) return false
      await tx.query({
        name: 'staged_batch.clear', // primary key
        text: 'DELETE FROM migration.staged_batch WHERE job_id = $1',
        values: [jobId],
      })
      await tx.query({
        name: 'staged_organization.clear', // primary key
        text: 'DELETE FROM migration.staged_organization WHERE job_id = $1',
        values: [jobId],
      })
      await tx.query({
        name: 'rejected_batch.clear', // primary key
        text: 'DELETE FROM migration.rejected_batch WHERE job_id = $1',
        values: [jobId],
      })
      return true
    }, OVER_A_JOB)
  }

  async decide(jobId: string, onInvalid: NonNullable<ImportRequest['onInvalid']>): Promise<void> {
    const statement =
      onInvalid === 'without_password'
        ? {
            name: 'rejected_batch.imported', // primary key
            text: `UPDATE migration.rejected_batch SET imported = true, sealed = NULL
                    WHERE job_id = $1 AND credentials_only`,
          }
        : {
            name: 'staged_batch.drop_without_credentials', // primary key
            text: 'DELETE FROM migration.staged_batch WHERE job_id = $1 AND without_credentials',
          }
    await this.#database.transaction((tx) => tx.query({ ...statement, values: [jobId] }), OVER_A_JOB)
  }

  async leaveOutDuplicates(jobId: string): Promise<void> {
    await this.#database.transaction((tx) => leaveOutDuplicates(tx, jobId), OVER_A_JOB)
  }

  async *batchesWithDuplicates(jobId: string): AsyncIterable<DuplicatesBatch> {
    let last = -1
    for (;;) {
      const { rows } = await this.#database.query<DuplicatesBatch>({
        name: 'staged_batch.with_duplicates', // primary key, staged_batch_place
        text: `SELECT b.batch, b.ordinal, b.list, b.first_index AS "firstIndex", b.indexes, b.ids, b.sealed,
                      b.left_out AS "leftOut"
                 FROM migration.staged_batch b
                WHERE b.job_id = $1 AND b.batch > $2 AND b.sealed IS NOT NULL
                  AND (b.left_out <> '{}' OR b.list = 'organization' AND EXISTS (
                        SELECT FROM migration.staged_batch d
                         WHERE d.job_id = b.job_id AND d.ordinal = b.ordinal AND d.left_out <> '{}'))
                ORDER BY b.batch LIMIT ${REPORT_PAGE}`,
        values: [jobId, last],
      })
      yield* rows
      if (rows.length < REPORT_PAGE) return
      last = rows.at(-1)?.batch ?? last
    }
  }

  duplicates(jobId: string, most: number): Promise<readonly Duplicate[]> {
    return this.#database.transaction((tx) => findDuplicates(tx, jobId, most), OVER_A_JOB)
  }

  async planKeys(jobId: string): Promise<void> {
    await this.#database.transaction((tx) => planKeys(tx, jobId), OVER_A_JOB)
  }

  async plannedKeys(jobId: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#database.query<{ unique_key: string; organization_id: string }>({
      name: 'staged_key.find', // primary key
      text: `SELECT unique_key, organization_id FROM migration.staged_key WHERE job_id = $1 AND unique_key = ANY ($2::text[])`,
      values: [jobId, keys],
    })
    return new Map(rows.map(({ unique_key, organization_id }) => [unique_key, organization_id]))
  }

  claim(jobId: string, workerId: string) {
    return this.#database.transaction(async (tx) => {
      // A shared lock, so that claims wait for the end of the job and not for each other.
      const { rows: jobs } = await tx.query<{ kind: string; goes_on: boolean }>({
        name: 'staged_batch.may_claim', // primary key
        text: `SELECT kind, state = 'running' AND stop_as IS NULL AND deadline_at > now() AS goes_on
                 FROM migration.job WHERE job_id = $1 FOR SHARE`,
        values: [jobId],
      })
      if (!jobs[0]?.goes_on) return 'stopped'
      const order = jobs[0].kind === 'undo' ? LAST_FIRST : FIRST_FIRST
      const { rows: stages } = await tx.query<{ stage: number | null }>({
        name: 'staged_batch.stage', // staged_batch_open
        text: `SELECT min(stage) AS stage FROM migration.staged_batch WHERE job_id = $1 AND outcomes IS NULL`,
        values: [jobId],
      })
      const stage = stages[0]?.stage ?? null
      if (stage === null) return 'done'
      const { rows } = await tx.query<ClaimedBatch>({
        name: `staged_batch.claim_${order.name}`, // staged_batch_open, primary keys
        // Materialized: read again by a join it would lock, and claim, one more batch each time.
        text: `WITH free AS MATERIALIZED (
                 SELECT c.batch FROM migration.staged_batch c
                  WHERE c.job_id = $1 AND c.stage = $2 AND c.outcomes IS NULL
                    AND NOT EXISTS (SELECT FROM migration.worker w WHERE w.worker_id = c.claimed_by
                                       AND w.seen_at > now() - $4 * interval '1 s')
                    AND NOT (c.list = 'machineUsers' AND EXISTS (
                          SELECT FROM migration.staged_batch e
                           WHERE e.job_id = c.job_id AND e.stage = c.stage AND e.outcomes IS NULL
                             AND (e.list = 'humanUsers' OR (e.list = c.list AND e.batch < c.batch))))
                    ${order.waits}
                  ORDER BY c.batch ${order.direction} LIMIT 1 FOR UPDATE SKIP LOCKED)
               UPDATE migration.staged_batch b SET claimed_by = $3
                 FROM free, migration.staged_organization o
                WHERE b.job_id = $1 AND b.batch = free.batch AND o.job_id = b.job_id AND o.ordinal = b.ordinal
               RETURNING b.batch, b.stage, b.list, b.sealed, b.plan, b.record_count AS "recordCount", b.ids, b.left_out AS "leftOut",
                         o.organization_id AS "organizationId"`,
        values: [jobId, stage, workerId, this.#stallSeconds],
      })
      return rows[0] ?? 'waiting'
    })
  }

  async release(jobId: string, batch: number, workerId: string): Promise<void> {
    await this.#database.query({
      name: 'staged_batch.release', // primary key
      text: `UPDATE migration.staged_batch SET claimed_by = NULL
              WHERE job_id = $1 AND batch = $2 AND claimed_by = $3 AND outcomes IS NULL`,
      values: [jobId, batch, workerId],
    })
  }

  async complete(jobId: string, { batch, outcomes, failures, notes, plan }: AppliedBatch): Promise<void> {
    const stored = failures.length === 0 ? null : JSON.stringify(failures)
    if (plan === undefined) {
      await this.#database.query({
        name: 'staged_batch.complete', // primary key
        text: `UPDATE migration.staged_batch SET outcomes = $3, failures = $4, notes = $5
                WHERE job_id = $1 AND batch = $2 AND outcomes IS NULL`,
        values: [jobId, batch, outcomes, stored, notes],
      })
      return
    }
    await this.#database.query({
      name: 'staged_batch.complete_plan', // primary keys
      text: `WITH planned AS (
               UPDATE migration.staged_batch SET outcomes = $3, failures = $4, notes = $5, plan = $6, changes = $7
                WHERE job_id = $1 AND batch = $2 AND outcomes IS NULL RETURNING unique_keys, unique_at)
             DELETE FROM migration.staged_key k USING planned p, unnest(p.unique_keys, p.unique_at) AS u (key, at)
              WHERE k.job_id = $1 AND k.unique_key = u.key AND substr($3, u.at + 1, 1) = 'f'`,
      values: [jobId, batch, outcomes, stored, notes, plan.sealed, JSON.stringify(plan.changes)],
    })
  }

  async *report(jobId: string): AsyncIterable<ReportedBatch> {
    let last: ReportedBatch | undefined
    for (;;) {
      const { rows }: { rows: readonly ReportedBatch[] } = await this.#database.query<ReportedBatch>({
        name: 'staged_batch.report', // staged_batch_place, primary key
        text: `SELECT b.batch, b.ordinal, o.organization_id AS "organizationId", b.list, b.first_index AS "firstIndex",
                      b.indexes, b.ids, b.entries, b.outcomes, b.failures, b.changes
                 FROM migration.staged_batch b LEFT JOIN migration.staged_organization o USING (job_id, ordinal)
                WHERE b.job_id = $1 AND (b.ordinal, b.list, b.batch) > ($2::integer, $3::text, $4::integer)
                ORDER BY b.ordinal, b.list, b.batch LIMIT ${REPORT_PAGE}`,
        values: [jobId, last?.ordinal ?? -1, last?.list ?? '', last?.batch ?? -1],
      })
      yield* rows
      last = rows.at(-1)
      if (rows.length < REPORT_PAGE) return
    }
  }

  async hasFailures(jobId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ found: boolean }>({
      name: 'staged_batch.has_failures', // primary keys
      text: `SELECT EXISTS (SELECT FROM migration.staged_batch WHERE job_id = $1 AND failures IS NOT NULL)
                  OR EXISTS (SELECT FROM migration.rejected_batch WHERE job_id = $1) AS found`,
      values: [jobId],
    })
    return rows[0]?.found ?? false
  }

  async notes(jobId: string, most: number): Promise<ReportedNotes> {
    const statement = {
      name: 'staged_batch.notes', // primary key
      text: `SELECT coalesce(sum(amount) || ' ', '') || rest AS note, count(*) OVER ()::int AS total
               FROM (SELECT b.batch, substring(n.note FROM '^([0-9]{1,9}) ')::bigint AS amount,
                            regexp_replace(n.note, '^[0-9]{1,9} ', '') AS rest
                       FROM migration.staged_batch b, unnest(b.notes) AS n (note) WHERE b.job_id = $1) AS told
              GROUP BY rest, amount IS NULL ORDER BY min(batch) LIMIT $2`,
      values: [jobId, most],
    }
    const { rows } = await this.#database.transaction(
      (tx) => tx.query<{ note: string; total: number }>(statement),
      OVER_A_JOB,
    )
    return { notes: rows.map(({ note }) => note), total: rows[0]?.total ?? 0 }
  }
}

export interface Duplicate {
  readonly ordinal: number
  readonly list: string
  readonly index: number
  readonly key: string
}

/** The unique keys of a job, as u; $1 is its id. Below them what each is compared by: `@/` stands for its organization. */
const KEYS = 'migration.staged_batch b, unnest(b.unique_keys, b.unique_at) AS u (key, at) WHERE b.job_id = $1'
const KEY = `CASE WHEN u.key LIKE '@/%' THEN b.ordinal || u.key ELSE u.key END`
const INDEX = 'coalesce(b.indexes[u.at + 1], b.first_index + u.at)'
const KEY_HASH = `hashtextextended(${KEY}, 0)`

/** Records of a job that share what must be unique, at most `most` of them; reads every key of the job. */
async function findDuplicates(tx: Queryable, jobId: string, most: number): Promise<readonly Duplicate[]> {
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

/** By the same order as `findDuplicates`. A record is left out also where the earlier one is left out for another key. */
async function leaveOutDuplicates(tx: Queryable, jobId: string): Promise<void> {
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
async function planKeys(tx: Queryable, jobId: string): Promise<void> {
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

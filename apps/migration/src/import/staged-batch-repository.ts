import type { Database } from '@signet/platform/postgres/pool'
import type { ImportRequest } from '../jobs/job.ts'
import type { CredentialCounts } from '../rehearsal/credential-counts.ts'
import { setAside } from './set-aside.ts'
import type {
  AppliedBatch,
  ClaimedBatch,
  Duplicate,
  DuplicatesBatch,
  NewBatch,
  ReportedBatch,
  ReportedNotes,
  StagedBatchRepository,
} from './staged-batch.ts'
import { findDuplicates, leaveOutDuplicates, planKeys } from './staged-key-repository.ts'

const REPORT_PAGE = 5
/** Statements that read or delete everything that a document brought. */
const OVER_A_JOB = { kind: 'long' } as const

/**
 * The members of projects, which a document repeats in each organization: several batches may update one object. These
 * do not run beside each other, so that an undo meets their changes in the opposite order.
 */
const membersWait = (isBefore: '<' | '>') => `AND NOT (c.list = 'projectMembers' AND EXISTS (
                          SELECT FROM migration.staged_batch e
                           WHERE e.job_id = c.job_id AND e.stage = c.stage AND e.outcomes IS NULL
                             AND e.list = c.list AND e.batch ${isBefore} c.batch))`

const FIRST_FIRST = { name: 'forward', direction: 'ASC', waits: membersWait('<') } as const
/** An undo takes the last batch back first. */
const LAST_FIRST = { name: 'backward', direction: 'DESC', waits: membersWait('>') } as const

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

  async storeCredentials(jobId: string, counts: CredentialCounts): Promise<void> {
    await this.#database.query({
      name: 'job.store_credentials', // primary key
      text: 'UPDATE migration.job SET credentials = $2 WHERE job_id = $1',
      values: [jobId, JSON.stringify(counts)],
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
        name: `staged_batch.claim_${order.name}`, // staged_batch_open, staged_batch_suspect, primary keys
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
                    AND (c.claimed_by IS NULL AND c.lost_workers = '{}' OR NOT EXISTS (
                          SELECT FROM migration.staged_batch s
                           WHERE s.claimed_by = $3 AND s.outcomes IS NULL AND s.lost_workers <> '{}'))
                    ${order.waits}
                  ORDER BY c.batch ${order.direction} LIMIT 1 FOR UPDATE SKIP LOCKED)
               UPDATE migration.staged_batch b
                  SET claimed_by = $3,
                      lost_workers = CASE WHEN b.claimed_by <> ALL (b.lost_workers || $3::text) AND EXISTS (
                                                 SELECT FROM migration.worker w
                                                  WHERE w.worker_id = b.claimed_by AND NOT w.is_stopping)
                                          THEN b.lost_workers || b.claimed_by ELSE b.lost_workers END
                 FROM free, migration.staged_organization o
                WHERE b.job_id = $1 AND b.batch = free.batch AND o.job_id = b.job_id AND o.ordinal = b.ordinal
               RETURNING b.batch, b.stage, b.list, b.sealed, b.plan, b.record_count AS "recordCount", b.ids, b.left_out AS "leftOut",
                         cardinality(b.lost_workers) AS "lostWorkers", o.organization_id AS "organizationId"`,
        values: [jobId, stage, workerId, this.#stallSeconds],
      })
      return rows[0] ?? 'waiting'
    })
  }

  async release(jobId: string, batch: number, workerId: string): Promise<void> {
    await this.#database.query({
      name: 'staged_batch.release', // primary key
      text: `UPDATE migration.staged_batch
                SET claimed_by = nullif(claimed_by, $3), lost_workers = array_remove(lost_workers, $3)
              WHERE job_id = $1 AND batch = $2 AND (claimed_by = $3 OR $3 = ANY (lost_workers)) AND outcomes IS NULL`,
      values: [jobId, batch, workerId],
    })
  }

  async setAside(jobId: string, claimed: ClaimedBatch, kind: 'import' | 'undo'): Promise<void> {
    await setAside(this.#database, jobId, claimed, kind)
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

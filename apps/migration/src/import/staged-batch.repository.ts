import type { Database } from '@signet/platform/postgres/pool'
import type { CredentialCounts } from '../jobs/credential-counts.ts'
import type { ImportRequest } from '../jobs/job.ts'
import { jsonForPostgres } from '../jobs/json-for-postgres.ts'
import { setAside } from '../jobs/set-aside.ts'
import {
  type AppliedBatch,
  type ClaimedBatch,
  changedRecords,
  type Duplicate,
  type DuplicatesBatch,
  type NamedOrganization,
  type NewBatch,
  type ReportedBatch,
  type ReportedNotes,
  type StagedBatchRepository,
} from '../jobs/staged-batch.ts'
import { claimBatches, HeldBatches, plannedCalls } from './staged-claim.repository.ts'
import { findDuplicates, leaveOutDuplicates, planKeys } from './staged-key.repository.ts'
import { reportAll, reportFailures } from './staged-report.repository.ts'

/** Number of batches with duplicates that are read at a time; a batch has at most a mebibyte. */
const PAGE = 20
/**
 * Condition of the open batches among $3. Tables that are just being filled have no statistics: with a condition that
 * the index staged_batch_open covers, PostgreSQL would read all open batches of the job.
 */
const IS_OPEN = `b.batch = ANY ($3::integer[]) AND coalesce(b.outcomes, '') = ''`
/** Statements that read or delete everything that a document brought. */
const OVER_A_JOB = { kind: 'long' } as const

export class PostgresStagedBatchRepository implements StagedBatchRepository {
  readonly #database: Database
  readonly #stallSeconds: number
  readonly #held = new HeldBatches()

  constructor(database: Database, stallSeconds: number) {
    this.#database = database
    this.#stallSeconds = stallSeconds
  }

  async add(jobId: string, batches: readonly NewBatch[]): Promise<void> {
    const rows = batches.map(({ unique, entries, ids, indexes, ...batch }) => ({
      batch: batch.batch,
      stage: batch.stage,
      ordinal: batch.ordinal,
      list: batch.list,
      first_index: batch.firstIndex,
      record_count: ids.length,
      ids,
      entries,
      unique_keys: unique.map(({ key }) => key),
      unique_at: unique.map(({ at }) => at),
      indexes,
      without_credentials: batch.withoutCredentials,
      call_share: batch.callShare,
    }))
    await this.#database.query({
      name: 'staged_batch.add',
      text: `INSERT INTO migration.staged_batch (job_id, batch, stage, ordinal, list, first_index, record_count, ids, entries,
                                                 unique_keys, unique_at, indexes, without_credentials, call_share, sealed)
             SELECT $1, r.* FROM ROWS FROM (
               json_to_recordset($2::json)
                 AS (batch integer, stage smallint, ordinal integer, list text, first_index integer, record_count integer,
                     ids text[], entries jsonb, unique_keys text[], unique_at integer[], indexes integer[],
                     without_credentials boolean, call_share smallint),
               unnest($3::bytea[])) AS r`,
      values: [jobId, jsonForPostgres(rows), batches.map(({ sealed }) => sealed)],
    })
  }

  async nameOrganizations(jobId: string, organizations: readonly NamedOrganization[]): Promise<void> {
    await this.#database.query({
      name: 'staged_organization.add',
      text: `INSERT INTO migration.staged_organization (job_id, ordinal, organization_id)
             SELECT $1, r.* FROM unnest($2::integer[], $3::text[]) AS r (ordinal, organization_id)`,
      values: [
        jobId,
        organizations.map(({ ordinal }) => ordinal),
        organizations.map(({ organizationId }) => organizationId),
      ],
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
                ORDER BY b.batch LIMIT ${PAGE}`,
        values: [jobId, last],
      })
      yield* rows
      if (rows.length < PAGE) return
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

  claim(jobId: string, workerId: string, isDryRun?: boolean): ReturnType<StagedBatchRepository['claim']> {
    const stallSeconds = this.#stallSeconds
    return this.#held.claim(jobId, workerId, (held) =>
      this.#database.transaction((tx) => claimBatches(tx, { jobId, workerId, isDryRun, stallSeconds, held })),
    )
  }

  plannedCalls(jobId: string): AsyncIterable<readonly ClaimedBatch[]> {
    return plannedCalls(this.#database, jobId)
  }

  async release(jobId: string, batches: readonly number[], workerId: string): Promise<void> {
    await this.#database.query({
      name: 'staged_batch.release', // primary key
      text: `UPDATE migration.staged_batch
                SET claimed_by = nullif(claimed_by, $3), lost_workers = array_remove(lost_workers, $3)
              WHERE job_id = $1 AND batch = ANY ($2::integer[]) AND (claimed_by = $3 OR $3 = ANY (lost_workers))
                AND outcomes IS NULL`,
      values: [jobId, batches, workerId],
    })
    this.#held.forget(jobId, batches)
  }

  async setAside(jobId: string, claimed: ClaimedBatch, kind: 'import' | 'undo'): Promise<void> {
    await setAside(this.#database, jobId, claimed, kind)
    this.#held.forget(jobId, [claimed.batch])
  }

  async complete(jobId: string, batches: readonly AppliedBatch[]): Promise<void> {
    if (batches.length === 0) return
    const rows = batches.map(({ batch, outcomes, failures, notes, plan }) => ({
      ...{ batch, outcomes, notes },
      changed: changedRecords(outcomes, failures),
      failures: failures.length === 0 ? undefined : failures,
      plan: plan?.sealed.toString('base64'),
      changes: plan?.changes,
    }))
    const numbers = batches.map(({ batch }) => batch)
    if (batches.every(({ plan }) => plan === undefined)) {
      await this.#database.query({
        name: 'staged_batch.complete', // primary key
        text: `UPDATE migration.staged_batch b SET outcomes = r.outcomes, failures = r.failures, notes = r.notes,
                       with_changes = r.changed
                 FROM json_to_recordset($2::json)
                        AS r (batch integer, outcomes text, failures jsonb, notes text[], changed integer)
                WHERE b.job_id = $1 AND b.batch = r.batch AND ${IS_OPEN}`,
        values: [jobId, jsonForPostgres(rows), numbers],
      })
      this.#held.forget(jobId, numbers)
      return
    }
    await this.#database.query({
      name: 'staged_batch.complete_plan', // primary keys
      text: `WITH planned AS (
               UPDATE migration.staged_batch b
                  SET outcomes = r.outcomes, failures = r.failures, notes = r.notes, plan = decode(r.plan, 'base64'),
                      changes = r.changes, with_changes = r.changed
                 FROM json_to_recordset($2::json)
                        AS r (batch integer, outcomes text, failures jsonb, notes text[], plan text, changes jsonb, changed integer)
                WHERE b.job_id = $1 AND b.batch = r.batch AND ${IS_OPEN}
                  AND EXISTS (SELECT FROM migration.job WHERE job_id = $1 AND (request ->> 'dryRun')::boolean FOR SHARE)
               RETURNING b.unique_keys, b.unique_at, b.outcomes)
             DELETE FROM migration.staged_key k USING planned p, unnest(p.unique_keys, p.unique_at) AS u (key, at)
              WHERE k.job_id = $1 AND k.unique_key = u.key AND substr(p.outcomes, u.at + 1, 1) IN ('f', 'b')`,
      values: [jobId, jsonForPostgres(rows), numbers],
    })
    this.#held.forget(jobId, numbers)
  }

  report(jobId: string): AsyncIterable<ReportedBatch> {
    return reportAll(this.#database, jobId)
  }

  reportFailures(jobId: string): AsyncIterable<ReportedBatch> {
    return reportFailures(this.#database, jobId)
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
               FROM (SELECT b.batch, n.place, substring(n.note FROM '^([0-9]{1,9}) ')::bigint AS amount,
                            regexp_replace(n.note, '^[0-9]{1,9} ', '') AS rest
                       FROM migration.staged_batch b, unnest(b.notes) WITH ORDINALITY AS n (note, place) WHERE b.job_id = $1) AS told
              GROUP BY rest, amount IS NULL ORDER BY min(batch * 1000000::bigint + place) LIMIT $2`,
      values: [jobId, most],
    }
    const { rows } = await this.#database.transaction(
      (tx) => tx.query<{ note: string; total: number }>(statement),
      OVER_A_JOB,
    )
    return { notes: rows.map(({ note }) => note), total: rows[0]?.total ?? 0 }
  }
}

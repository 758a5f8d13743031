import type { FieldProblem } from '@signet/file-formats/export/record-check'
import type { Database } from '@signet/platform/postgres/pool'
import { jsonForPostgres } from '../jobs/json-for-postgres.ts'

/** A rejected record as the report names it; without values of the document other than its id. */
export interface ReportedReject {
  readonly index?: number
  readonly id?: string
  readonly problems: readonly FieldProblem[]
}

export interface NewRejectedBatch {
  readonly batch: number
  readonly ordinal: number
  readonly list: string
  readonly recordCount: number
  readonly problems: readonly ReportedReject[]
  readonly sealed: Buffer
  readonly credentialsOnly: boolean
}

/** List of a report, with the records that break a rule. */
export interface RejectedBatch {
  readonly batch: number
  readonly ordinal: number
  readonly organizationId: string | null
  readonly list: string
  readonly recordCount: number
  readonly problems: readonly ReportedReject[]
  readonly imported: boolean
}

export type SealedRejects = Pick<NewRejectedBatch, 'batch' | 'ordinal' | 'list' | 'sealed'>

/** The records of documents that break a rule. */
export interface RejectedBatchRepository {
  /** Repeating it changes nothing. */
  add(jobId: string, batch: NewRejectedBatch): Promise<void>
  /** Returns the batches in the order of the rejects document: organization by organization, list by list. */
  report(jobId: string): AsyncIterable<RejectedBatch>
  /** The records that were not imported, in the same order. */
  sealed(jobId: string): AsyncIterable<SealedRejects>
}

const PAGE = 5

export function createRejectedBatchRepository(database: Database): RejectedBatchRepository {
  async function* pages<R extends Pick<NewRejectedBatch, 'batch' | 'ordinal' | 'list'>>(
    jobId: string,
    { name, text }: { readonly name: string; readonly text: string },
  ): AsyncIterable<R> {
    let last: R | undefined
    for (;;) {
      const values = [jobId, last?.ordinal ?? -1, last?.list ?? '', last?.batch ?? -1]
      const { rows }: { rows: readonly R[] } = await database.query<R & object>({ name, text, values })
      yield* rows
      last = rows.at(-1)
      if (rows.length < PAGE) return
    }
  }

  return {
    async add(jobId, { batch, ordinal, list, recordCount, problems, sealed, credentialsOnly }) {
      await database.query({
        name: 'rejected_batch.add', // primary key
        text: `INSERT INTO migration.rejected_batch (job_id, batch, ordinal, list, record_count, problems, sealed, credentials_only)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
        values: [
          jobId,
          batch,
          ordinal,
          list,
          recordCount,
          jsonForPostgres(problems),
          sealed,
          credentialsOnly,
        ],
      })
    },
    report: (jobId) =>
      pages<RejectedBatch>(jobId, {
        name: 'rejected_batch.report', // rejected_batch_place, primary key
        text: `SELECT r.batch, r.ordinal, o.organization_id AS "organizationId", r.list, r.record_count AS "recordCount",
                      r.problems, r.imported
                 FROM migration.rejected_batch r LEFT JOIN migration.staged_organization o USING (job_id, ordinal)
                WHERE r.job_id = $1 AND (r.ordinal, r.list, r.batch) > ($2::integer, $3::text, $4::integer)
                ORDER BY r.ordinal, r.list, r.batch LIMIT ${PAGE}`,
      }),
    sealed: (jobId) =>
      pages<SealedRejects>(jobId, {
        name: 'rejected_batch.sealed', // rejected_batch_place
        text: `SELECT batch, ordinal, list, sealed FROM migration.rejected_batch
                WHERE job_id = $1 AND (ordinal, list, batch) > ($2::integer, $3::text, $4::integer) AND sealed IS NOT NULL
                ORDER BY ordinal, list, batch LIMIT ${PAGE}`,
      }),
  }
}

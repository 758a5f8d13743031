import type { Database } from '@signet/platform/postgres/pool'
import type { ReportedBatch } from '../jobs/staged-batch.ts'

/** A page of a report ends with the batch that exceeds the number of records, or at the number of batches. */
const REPORT_RECORDS = 8_000
const REPORT_BATCHES = 500

/** All batches of a job, organization by organization, list by list. */
export function reportAll(database: Database, jobId: string): AsyncIterable<ReportedBatch> {
  return pages(database, jobId, { name: 'staged_batch.report', condition: '' })
}

/** Returns the batches in which a record, or a part of one, failed, in the same order. */
export function reportFailures(database: Database, jobId: string): AsyncIterable<ReportedBatch> {
  const condition = 'AND b.failures IS NOT NULL'
  return pages(database, jobId, { name: 'staged_batch.report_failures', condition })
}

async function* pages(
  database: Database,
  jobId: string,
  { name, condition }: { readonly name: string; readonly condition: string },
): AsyncIterable<ReportedBatch> {
  let last: ReportedBatch | undefined
  for (;;) {
    const { rows }: { rows: readonly ReportedBatch[] } = await database.query<ReportedBatch>({
      name, // staged_batch_place, primary key
      text: `SELECT batch, ordinal, organization_id AS "organizationId", list, first_index AS "firstIndex", indexes, ids,
                    entries, outcomes, failures, changes
               FROM (SELECT b.*, o.organization_id,
                            sum(b.record_count) OVER (ORDER BY b.ordinal, b.list, b.batch) AS records
                       FROM migration.staged_batch b LEFT JOIN migration.staged_organization o USING (job_id, ordinal)
                      WHERE b.job_id = $1 AND (b.ordinal, b.list, b.batch) > ($2::integer, $3::text, $4::integer)
                            ${condition}
                      ORDER BY b.ordinal, b.list, b.batch LIMIT ${REPORT_BATCHES}) page
              WHERE records - record_count < ${REPORT_RECORDS} ORDER BY ordinal, list, batch`,
      values: [jobId, last?.ordinal ?? -1, last?.list ?? '', last?.batch ?? -1],
    })
    yield* rows
    last = rows.at(-1)
    if (last === undefined) return
  }
}

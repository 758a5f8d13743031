import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Database } from '@signet/platform/postgres/pool'
import { currentRequestId } from '@signet/platform/runtime/current-request'
import type { AcceptedImport, JobRepository, NewJob } from './job.ts'
import { auditedOptions, auditTable, jobChanged } from './job-audit.ts'

/** Adds jobs, and accepts or discards those that are being staged. */
export function createJobAdmission(database: Database): Pick<JobRepository, 'add' | 'accept' | 'discard'> {
  return {
    async add({
      id,
      kind,
      state,
      attempt,
      workerId,
      request,
      timeoutMs,
      sealedLocation,
    }: NewJob): Promise<void> {
      const { caller } = attempt
      await database.transaction(async (tx) => {
        await tx.query({
          name: 'job.add',
          text: `INSERT INTO migration.job (job_id, kind, state, phase, created_by, actor_kind, worker_id, request, timeout_ms,
                                            created_at, accepted_at, deadline_at, sealed_credentials, request_id)
                 VALUES ($1, $2, $3, $3, $4, $5, CASE $3 WHEN 'staging' THEN $6 END, $7, $8::bigint, now(),
                         CASE $3 WHEN 'queued' THEN now() END,
                         CASE $3 WHEN 'queued' THEN now() + $8::bigint * interval '1 ms' END, $9, $10)`,
          values: [
            id,
            kind,
            state,
            caller.userId,
            caller.kind,
            workerId,
            JSON.stringify(request),
            timeoutMs,
            sealedLocation ?? null,
            currentRequestId() ?? null,
          ],
        })
        if (state === 'staging') return
        await auditTable.record(tx, jobChanged(attempt, { id, kind }, 'start', auditedOptions(request)))
      })
    },

    async accept(
      jobId: string,
      attempt: Attempt,
      { request, timeoutMs, notes, sealedLocation }: AcceptedImport,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        const { rowCount } = await tx.query({
          name: 'job.accept', // primary key
          text: `UPDATE migration.job SET state = 'queued', phase = 'queued', worker_id = NULL, request = $2, notes = $4, sealed_credentials = $5,
                        timeout_ms = $3::bigint, accepted_at = now(), deadline_at = now() + $3::bigint * interval '1 ms'
                  WHERE job_id = $1 AND state = 'staging'`,
          values: [jobId, JSON.stringify(request), timeoutMs, notes, sealedLocation ?? null],
        })
        if (rowCount !== 1) throw new Error(`job ${jobId} is not being staged any more`)
        await auditTable.record(
          tx,
          jobChanged(attempt, { id: jobId, kind: 'import' }, 'start', auditedOptions(request)),
        )
      })
    },

    async discard(jobId: string): Promise<void> {
      const statement = {
        name: 'job.discard', // primary key
        text: `DELETE FROM migration.job WHERE job_id = $1 AND state = 'staging'`,
        values: [jobId],
      }
      // With everything that was staged.
      await database.transaction((tx) => tx.query(statement), { kind: 'background' })
    },
  }
}

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RpcClient } from '@signet/grpc/client'
import {
  OnConflict,
  type RecordFailure,
  type TransferService,
} from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import type { ExportDirectory } from '../export/run-export.ts'
import type { ApplyBatch } from '../import/run-import.ts'
import type { AppliedBatch } from '../import/staged-batch-repository.ts'
import type { ImportRequest } from '../jobs/job.ts'

/** Passwords in plain text are hashed one by one; everything else takes well under a second. */
const APPLY_TIMEOUT_MS = 120_000

const ON_CONFLICT = { skip: OnConflict.SKIP, update: OnConflict.UPDATE, fail: OnConflict.FAIL } as const

/** `domainSuffix`: below it lie the domains of organizations that bring none. */
export function createApplyBatch(
  transfer: RpcClient<typeof TransferService>,
  domainSuffix: string,
): ApplyBatch {
  return async ({ job, batch, list, organizationId, records, planned }) => {
    const { onConflict, dryRun } = job.request as unknown as ImportRequest
    const { outcomes, failures, notes } = await transfer.applyBatch(
      {
        jobId: job.id,
        batch,
        organizationId,
        list,
        records,
        onConflict: ON_CONFLICT[onConflict],
        dryRun,
        planned: [...planned],
        actorId: job.createdBy,
        actorKind: job.actorKind,
        acceptedAt: timestampFromDate(job.acceptedAt ?? job.createdAt),
        domainSuffix,
      },
      { timeoutMs: APPLY_TIMEOUT_MS },
    )
    return { outcomes, failures: failures.map(toFailure), notes }
  }
}

function toFailure({ index, message, type, id }: RecordFailure): AppliedBatch['failures'][number] {
  return { index, message, ...(type !== '' && { type, id }) }
}

export function createExportDirectory(transfer: RpcClient<typeof TransferService>): ExportDirectory {
  return async function* (job, signal) {
    const { orgIds, excludedOrgIds, withPasswords, withOtp, withSecrets } = job.request
    const parts = transfer.export(
      {
        organizationIds: [...orgIds],
        excludedOrganizationIds: [...excludedOrgIds],
        withPasswords,
        withOtp,
        // Absent in a job of the version before.
        withSecrets: withSecrets ?? false,
        actorId: job.createdBy,
        actorKind: job.actorKind,
      },
      { signal },
    )
    for await (const { part } of parts) {
      if (part.case === 'plan') yield { plan: part.value }
      else if (part.case === 'organization') yield { organization: part.value }
      else if (part.case === 'records') yield part.value
    }
  }
}

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import {
  type ApplyBatchResponse,
  OnConflict,
  type RecordFailure,
  RehearsedOutcome,
  type TransferService,
  type UndoBatchResponse,
} from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import type { ExportDirectory } from '../export/run-export.ts'
import type { ApplyBatches, BatchCall, BatchResult } from '../import/run-import.ts'
import type { FindDeletedUsers } from '../jobs/deleted-users.ts'
import type { ImportRequest, Job, UndoRequest } from '../jobs/job.ts'
import type { Failure } from '../jobs/staged-batch.ts'
import type { RehearsalOutcome, TryStaged } from '../rehearsal/rehearsal.ts'
import { MasterKeyUnknownError } from '../sealing.ts'
import type { UndoBatches } from '../undo/run-undo.ts'

/** Passwords in plain text are hashed one by one; everything else takes well under a second. */
const APPLY_TIMEOUT_MS = 120_000

const FIND_TIMEOUT_MS = 10_000

const ON_CONFLICT = { skip: OnConflict.SKIP, update: OnConflict.UPDATE, fail: OnConflict.FAIL } as const

/** Responses of a version that does not know the method. */
const UNKNOWN: ReadonlySet<string> = new Set(['UNIMPLEMENTED', 'PERMISSION_DENIED'])

/** `domainSuffix`: below it lie the domains of organizations that bring none. */
export function createApplyBatches(
  transfer: RpcClient<typeof TransferService>,
  { domainSuffix, undoDays }: { readonly domainSuffix: string; readonly undoDays: number },
): ApplyBatches {
  const requestOf = (job: Job, { batch, list, organizationId, records, planned, plan }: BatchCall) => {
    const { onConflict, dryRun, appliedBy, appliedByKind } = job.request as unknown as ImportRequest
    return {
      jobId: job.id,
      batch,
      organizationId,
      list,
      records,
      onConflict: ON_CONFLICT[onConflict],
      dryRun,
      planned: [...planned],
      undoDays,
      ...(plan && { plan }),
      actorId: appliedBy ?? job.createdBy,
      actorKind: appliedByKind ?? job.actorKind,
      acceptedAt: timestampFromDate(job.acceptedAt ?? job.createdAt),
      domainSuffix,
    }
  }
  const options = { timeoutMs: APPLY_TIMEOUT_MS }
  const namedBy = ({ request }: Job) => [...((request as unknown as ImportRequest).orgIds ?? [])]

  async function applyEach(job: Job, calls: readonly BatchCall[]): Promise<readonly BatchResult[]> {
    const results: BatchResult[] = []
    for (const call of calls) {
      const request = { ...requestOf(job, call), namedOrganizations: namedBy(job) }
      const response = await transfer.applyBatch(request, options).catch(planKeyUnknown)
      const result = toResult(response)
      results.push(result)
      if (result.differences.length > 0) break
    }
    return results
  }

  return async (job, calls) => {
    if (calls.length === 1) return await applyEach(job, calls)
    try {
      const batches = calls.map((call) => requestOf(job, call))
      return (
        await transfer.applyBatches({ batches, namedOrganizations: namedBy(job) }, options)
      ).batches.map(toResult)
    } catch (error) {
      if (error instanceof RpcError && UNKNOWN.has(error.code)) return await applyEach(job, calls)
      return planKeyUnknown(error)
    }
  }
}

function toResult(response: ApplyBatchResponse): BatchResult {
  const { outcomes, failures, notes, changes, differences } = response
  const made = Buffer.from(response.plan)
  return {
    outcomes,
    failures: failures.map(toFailure),
    notes,
    differences: differences.map(toFailure),
    ...(made.length > 0 && {
      plan: { sealed: made, changes: changes.map(({ index, fields }) => ({ index, fields })) },
    }),
  }
}

function planKeyUnknown(cause: unknown): never {
  if (!(cause instanceof RpcError && cause.code === 'FAILED_PRECONDITION')) throw cause
  throw new MasterKeyUnknownError('SIGNET_DIRECTORY_MASTER_KEY', { cause })
}

/** Takes back what batches of an import wrote; repeated, it returns the stored outcomes. */
export function createUndoBatches(transfer: RpcClient<typeof TransferService>): UndoBatches {
  return async (job, batches) => {
    const { import: importJobId, force } = job.request as unknown as UndoRequest
    const order = {
      jobId: job.id,
      importJobId,
      force,
      actorId: job.createdBy,
      actorKind: job.actorKind,
    }
    const options = { timeoutMs: APPLY_TIMEOUT_MS }
    try {
      const response = await transfer.undoBatches({ ...order, batches: [...batches] }, options)
      return response.batches.map(toUndone)
    } catch (error) {
      if (!(error instanceof RpcError && UNKNOWN.has(error.code))) throw error
      const undone: ReturnType<typeof toUndone>[] = []
      for (const batch of batches)
        undone.push(toUndone(await transfer.undoBatch({ ...order, ...batch }, options)))
      return undone
    }
  }
}

const toUndone = ({ outcomes, kept }: UndoBatchResponse) => ({ outcomes, failures: kept.map(toFailure) })

/** Creates a function that returns the ids of deleted users. */
export function createFindDeletedUsers(transfer: RpcClient<typeof TransferService>): FindDeletedUsers {
  return async (ids) =>
    (await transfer.findDeletedUsers({ ids: [...ids] }, { timeoutMs: FIND_TIMEOUT_MS })).ids
}

function toFailure(failure: RecordFailure): Failure {
  const { index, message, type, id, record, member, value, isMissing } = failure
  return {
    ...{ index, message },
    ...(type !== '' && { type, id }),
    ...(record !== '' && { record }),
    ...(member !== '' && { member }),
    ...(value !== '' && { value }),
    ...(isMissing && { isMissing }),
  }
}

export function createExportDirectory(transfer: RpcClient<typeof TransferService>): ExportDirectory {
  return async function* (job, signal) {
    const { orgIds, excludedOrgIds, withPasswords, withOtp, withPasskeys, withSecrets } = job.request
    const parts = transfer.export(
      {
        organizationIds: [...orgIds],
        excludedOrganizationIds: [...excludedOrgIds],
        withPasswords,
        withOtp,
        // Absent in a job of the version before.
        withPasskeys: withPasskeys ?? false,
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

/** Two seconds in the queue of the directory, and the slowest hash. */
const TRY_TIMEOUT_MS = 20_000

const OUTCOMES: Readonly<Record<number, RehearsalOutcome>> = {
  [RehearsedOutcome.WOULD_SIGN_IN]: 'wouldSignIn',
  [RehearsedOutcome.WRONG_PASSWORD]: 'wrongPassword',
  [RehearsedOutcome.NO_SUCH_PERSON]: 'noSuchPerson',
  [RehearsedOutcome.SEVERAL_PEOPLE]: 'severalPeople',
  [RehearsedOutcome.INACTIVE]: 'inactive',
  [RehearsedOutcome.NO_PASSWORD]: 'noPassword',
  [RehearsedOutcome.KEEPS_PASSWORD]: 'keepsPassword',
  [RehearsedOutcome.NOT_IMPORTED]: 'notImported',
  [RehearsedOutcome.PASSWORD_NOT_ALLOWED]: 'passwordNotAllowed',
  [RehearsedOutcome.SECOND_FACTOR_NEEDED]: 'secondFactorNeeded',
  [RehearsedOutcome.SECOND_FACTOR_WRONG]: 'secondFactorWrong',
  [RehearsedOutcome.HASH_TOO_SLOW]: 'hashTooSlow',
}

/** Tries sample sign-ins in the pool of the directory, which checks the passwords of all sign-ins. */
export function createTryStaged(transfer: RpcClient<typeof TransferService>): TryStaged {
  return async ({ loginName, password, otp = '' }, people) => {
    const request = {
      loginName,
      password,
      otp,
      people: people.map(({ user, organization, outcome }) => ({
        user: Buffer.from(user),
        organization: Buffer.from(organization),
        outcome,
      })),
    }
    try {
      const { outcome: code, ...tried } = await transfer.rehearseSignIn(request, {
        timeoutMs: TRY_TIMEOUT_MS,
      })
      const outcome = OUTCOMES[code]
      if (outcome === undefined) throw new Error(`the directory answers with an unknown outcome ${code}`)
      const { userId, hashKind, milliseconds, steps } = tried
      return {
        outcome,
        ...(userId !== '' && { userId }),
        ...(hashKind !== '' && { hashKind, milliseconds }),
        ...(steps.length > 0 && { steps }),
      }
    } catch (error) {
      if (error instanceof RpcError && error.code === 'RESOURCE_EXHAUSTED') return { outcome: 'busy' }
      throw error
    }
  }
}

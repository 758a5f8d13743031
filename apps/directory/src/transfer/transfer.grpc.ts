import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import { RpcError } from '@signet/grpc/error'
import {
  type ApplyBatchRequest,
  type ExportRequest,
  OnConflict,
  RehearsedOutcome,
  type RehearseSignInRequest,
  TransferService,
  type UndoBatchesRequest,
  type UndoBatchRequest,
} from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { orExhausted } from '../credentials/credential.grpc.ts'
import type { RehearsedSignIn, RehearsedTry } from '../rehearsal/rehearse-sign-in.ts'
import { PlanKeyUnknownError } from '../undo/change-recorder.ts'
import type { UndoOrder, UndoOutcome } from '../undo/undo-batches.ts'
import type { Batch, BatchOutcome, ImportedBatch } from './batch.ts'
import type { ExportMessage, ExportOrder } from './export-organizations.ts'

interface TransferUseCases {
  readonly applyBatches: (batches: readonly Batch[]) => Promise<readonly BatchOutcome[]>
  readonly undoBatches: (order: UndoOrder) => Promise<readonly UndoOutcome[]>
  readonly findDeletedUsers: (ids: readonly string[]) => Promise<readonly string[]>
  readonly rehearseSignIn: (attempt: RehearsedTry) => Promise<RehearsedSignIn>
  readonly exportOrganizations: (order: ExportOrder) => AsyncIterable<ExportMessage>
}

export function transferService(useCases: TransferUseCases): RpcService {
  const { applyBatches, undoBatches, findDeletedUsers, rehearseSignIn, exportOrganizations } = useCases
  return rpcService(TransferService, {
    applyBatch: async (request) => {
      const [outcome] = await applyBatches([toBatch(request, request.namedOrganizations)]).catch(
        orPrecondition,
      )
      if (outcome === undefined) throw new RpcError('INTERNAL', 'the batch has no outcome')
      return toOutcome(outcome)
    },
    applyBatches: async ({ batches, namedOrganizations }) => ({
      batches: (await applyBatches(toBatches(batches, namedOrganizations)).catch(orPrecondition)).map(
        toOutcome,
      ),
    }),
    undoBatch: async (request) => {
      const [outcome] = await undoBatches(toUndoOrder(request, [request]))
      if (outcome === undefined) throw new RpcError('INTERNAL', 'the batch has no outcome')
      return toUndone(outcome)
    },
    undoBatches: async (request) => {
      const { batches } = request
      if (batches.length === 0 || new Set(batches.map(({ batch }) => batch)).size < batches.length)
        throw new RpcError('INVALID_ARGUMENT', 'batches must be at least one, and each once')
      return { batches: (await undoBatches(toUndoOrder(request, batches))).map(toUndone) }
    },
    findDeletedUsers: async ({ ids }) => ({ ids: [...(await findDeletedUsers(ids))] }),
    rehearseSignIn: async (request) => {
      const { outcome, steps = [], ...rest } = await orExhausted(rehearseSignIn(toTry(request)))
      return { outcome: REHEARSED[outcome], steps: [...steps], ...rest }
    },
    async *export(request) {
      for await (const message of exportOrganizations(toOrder(request))) yield toResponse(message)
    },
  })
}

function orPrecondition(error: unknown): never {
  if (!(error instanceof PlanKeyUnknownError)) throw error
  throw new RpcError('FAILED_PRECONDITION', error.message, { cause: error })
}

const ON_CONFLICT: Readonly<Record<number, Batch['onConflict']>> = {
  [OnConflict.SKIP]: 'skip',
  [OnConflict.UPDATE]: 'update',
  [OnConflict.FAIL]: 'fail',
}

function toBatches(
  requests: readonly ApplyBatchRequest[],
  namedOrganizations: readonly string[],
): readonly Batch[] {
  const batches = requests.map((request) => toBatch(request, namedOrganizations))
  const [first] = batches
  if (first === undefined) throw new RpcError('INVALID_ARGUMENT', 'batches is required')
  const options = optionsOf(first)
  const isBehind = (batch: Batch, at: number) => at === 0 || batch.batch > (batches[at - 1]?.batch ?? 0)
  if (!batches.every((batch, at) => optionsOf(batch) === options && isBehind(batch, at))) {
    const rule = 'batches must have one job, one list, equal options and rising numbers'
    throw new RpcError('INVALID_ARGUMENT', rule)
  }
  return batches
}

/** A text that is equal for equal options. */
function optionsOf({
  jobId,
  list,
  onConflict,
  dryRun,
  undoDays,
  domainSuffix,
  acceptedAt,
  actor,
}: Batch): string {
  return JSON.stringify([jobId, list, onConflict, dryRun, undoDays, domainSuffix, acceptedAt, actor])
}

function toOutcome({ outcomes, failures, notes, plan, differences = [] }: BatchOutcome) {
  return {
    outcomes,
    failures: [...failures],
    notes: [...notes],
    differences: [...differences],
    ...(plan && {
      plan: plan.sealed,
      changes: plan.changes.map(({ index, fields }) => ({ index, fields: [...fields] })),
    }),
  }
}

function toBatch(request: ApplyBatchRequest, namedOrganizations: readonly string[]): Batch {
  const onConflict = ON_CONFLICT[request.onConflict]
  if (onConflict === undefined) throw new RpcError('INVALID_ARGUMENT', 'on_conflict is required')
  if (request.acceptedAt === undefined) throw new RpcError('INVALID_ARGUMENT', 'accepted_at is required')
  const { jobId, batch, list, organizationId, dryRun, planned, plan, undoDays, domainSuffix } = request
  return {
    jobId,
    batch,
    list,
    organizationId,
    dryRun,
    planned,
    namedOrganizations,
    plan: plan.length === 0 ? undefined : Buffer.from(plan),
    undoDays,
    domainSuffix,
    onConflict,
    acceptedAt: timestampDate(request.acceptedAt),
    records: recordsOf(request.records),
    actor: actorOf(request),
  }
}

const REHEARSED: Readonly<Record<RehearsedSignIn['outcome'], RehearsedOutcome>> = {
  wouldSignIn: RehearsedOutcome.WOULD_SIGN_IN,
  wrongPassword: RehearsedOutcome.WRONG_PASSWORD,
  noSuchPerson: RehearsedOutcome.NO_SUCH_PERSON,
  severalPeople: RehearsedOutcome.SEVERAL_PEOPLE,
  inactive: RehearsedOutcome.INACTIVE,
  noPassword: RehearsedOutcome.NO_PASSWORD,
  passwordNotAllowed: RehearsedOutcome.PASSWORD_NOT_ALLOWED,
  secondFactorNeeded: RehearsedOutcome.SECOND_FACTOR_NEEDED,
  secondFactorWrong: RehearsedOutcome.SECOND_FACTOR_WRONG,
  keepsPassword: RehearsedOutcome.KEEPS_PASSWORD,
  notImported: RehearsedOutcome.NOT_IMPORTED,
  hashTooSlow: RehearsedOutcome.HASH_TOO_SLOW,
}

function toTry({ loginName, password, otp, people }: RehearseSignInRequest): RehearsedTry {
  return {
    loginName,
    password,
    otp: otp === '' ? undefined : otp,
    people: people.map(({ user, organization, outcome }) => ({
      outcome,
      user: JSON.parse(Buffer.from(user).toString('utf8')),
      organization: JSON.parse(Buffer.from(organization).toString('utf8')),
    })),
  }
}

function toUndoOrder(
  request: UndoBatchRequest | UndoBatchesRequest,
  batches: readonly ImportedBatch[],
): UndoOrder {
  const { jobId, importJobId, force } = request
  const asked = batches.map(({ batch, recordCount }) => ({ batch, recordCount }))
  return { jobId, importJobId, batches: asked, force, actor: actorOf(request) }
}

const toUndone = ({ outcomes, kept }: UndoOutcome) => ({ outcomes, kept: [...kept] })

function recordsOf(bytes: Uint8Array): readonly unknown[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const records: unknown = JSON.parse(text)
  if (!Array.isArray(records)) throw new RpcError('INVALID_ARGUMENT', 'records must be a JSON array')
  return records
}

function actorOf({ actorId, actorKind }: { actorId: string; actorKind: string }): AuditActor {
  return { id: actorId, kind: actorKind === 'human' ? 'human' : 'service_user' }
}

function toOrder(request: ExportRequest): ExportOrder {
  const { organizationIds, excludedOrganizationIds, withPasswords, withOtp, withPasskeys, withSecrets } =
    request
  return {
    organizationIds,
    excludedIds: excludedOrganizationIds,
    withPasswords,
    withOtp,
    withPasskeys,
    withSecrets,
    actor: actorOf(request),
  }
}

function toResponse(message: ExportMessage) {
  if ('plan' in message) {
    const { users, organizations, unknownIds, administrators, notes } = message.plan
    const value = {
      users,
      organizations,
      unknownOrganizationIds: [...unknownIds],
      instanceAdministrators: [...administrators],
      notes: [...notes],
    }
    return { part: { case: 'plan' as const, value } }
  }
  if ('organization' in message) {
    return {
      part: { case: 'organization' as const, value: Buffer.from(JSON.stringify(message.organization)) },
    }
  }
  return { part: { case: 'records' as const, value: message.part } }
}

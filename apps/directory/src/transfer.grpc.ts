import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import { isListName, type ListName, shapeOf } from '@signet/file-formats/export/lists'
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
import { orExhausted } from './credentials/or-exhausted.ts'
import { UnknownListError } from './transfer/apply-batch.ts'
import type { Batch, BatchOutcome, ImportedBatch } from './transfer/batch.ts'
import type { ExportMessage, ExportOrder } from './transfer/export-organizations.ts'
import type { RehearsedSignIn, RehearsedTry, StagedPerson } from './transfer/rehearse-sign-in.ts'
import type { UndoOrder, UndoOutcome } from './transfer/undo-batches.ts'
import { PlanKeyUnknownError } from './undo/change-recorder.ts'

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
      const batches = [toBatch(request, request.namedOrganizations)]
      const [outcome] = await applyBatches(batches).catch((error) => refuse(error, batches))
      if (outcome === undefined) throw new RpcError('INTERNAL', 'the batch has no outcome')
      return toOutcome(outcome)
    },
    applyBatches: async (request) => {
      const batches = toBatches(request.batches, request.namedOrganizations)
      const outcomes = await applyBatches(batches).catch((error) => refuse(error, batches))
      return { batches: outcomes.map(toOutcome) }
    },
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

const isRecordOf = (list: ListName, record: unknown) => shapeOf(list).schema.safeParse(record).success

/**
 * Throws the status for an error. Migration has checked the records by the same schemas, so they are not checked here before a
 * defect shows that they may not be records.
 */
function refuse(cause: unknown, batches: readonly Batch[]): never {
  if (cause instanceof PlanKeyUnknownError)
    throw new RpcError('FAILED_PRECONDITION', cause.message, { cause })
  if (cause instanceof UnknownListError) throw new RpcError('INVALID_ARGUMENT', cause.message, { cause })
  if (cause instanceof TypeError) {
    for (const { list, records } of batches) {
      const index = isListName(list) ? records.findIndex((record) => !isRecordOf(list, record)) : -1
      if (index >= 0)
        throw new RpcError('INVALID_ARGUMENT', `records[${index}] is not one of ${list}`, { cause })
    }
  }
  throw cause
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
    people: people.map(({ user, organization, outcome }, index) => ({
      outcome,
      user: stagedOf(user, `people[${index}].user`, 'userId') as StagedPerson['user'],
      organization: stagedOf(
        organization,
        `people[${index}].organization`,
        'orgId',
      ) as StagedPerson['organization'],
    })),
  }
}

/** An object as migration staged it, which has checked its members. */
function stagedOf(bytes: Uint8Array, field: string, id: string): object {
  const value = jsonOf(bytes, field)
  if (typeof value !== 'object' || value === null || typeof Reflect.get(value, id) !== 'string')
    throw new RpcError('INVALID_ARGUMENT', `${field} must be a JSON object with ${id}`)
  return value
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
  const records = jsonOf(bytes, 'records')
  if (!Array.isArray(records)) throw new RpcError('INVALID_ARGUMENT', 'records must be a JSON array')
  return records
}

function jsonOf(bytes: Uint8Array, field: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch (cause) {
    throw new RpcError('INVALID_ARGUMENT', `${field} must be JSON`, { cause })
  }
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

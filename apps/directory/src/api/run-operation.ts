import { ApiError } from '@signet/admin-api/api-error'
import { type Attempt, attemptEvent, type RecordRead } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { MemberStore } from '../permissions/member.repository.ts'
import type { Permission, ResourceScope } from '../permissions/permission.ts'
import { requireReachOfCall } from '../permissions/require-permission.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import { idempotencyPurpose } from '../sealing/purposes.ts'
import type { IdempotencyStore } from './idempotency.repository.ts'
import type { Change, ManagementCall, Tools } from './management-call.ts'

/** The stores that every operation needs. */
export interface RunnerStores {
  readonly idempotency: IdempotencyStore
  readonly members: MemberStore
  readonly scopes: ResourceScopeStore
  record(event: AuditEvent): Promise<void>
  /** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
  lock(kind: string, id: string): Promise<void>
}

/**
 * Commits what `work` did when it resolves, and nothing when it throws. Rejects with ApiError ALREADY_EXISTS, naming
 * field and rule, when something stored stands in the way.
 */
export type Transact<Stores> = <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>

/** The dependencies of every operation. */
export interface RunnerServices extends Tools {
  /** Stores for reads; changes get their stores from the call. */
  readonly stores: RunnerStores
}

interface Dependencies<Stores extends RunnerStores> {
  readonly services: RunnerServices
  readonly transact: Transact<Stores>
  readonly publishEndings: PublishEndings
  readonly recordRead: RecordRead
}

/** A call of an operation whose input is valid. */
export interface PreparedCall<Stores> {
  readonly attempt: Attempt
  readonly permission: Permission
  /** Scope of the object on which the caller holds a role that permits the operation. */
  readonly scope: ResourceScope
  /** The objects that a list which names none shows; undefined: every one. */
  readonly seen: SeenObjects | undefined
  readonly input: Readonly<Record<string, unknown>>
  /** The id of the account that the call acts on, if it acts on one. */
  readonly actsOn: string | undefined
  /** How a response is stored for a repetition under the same idempotency key. */
  readonly idempotentCall: IdempotentCall | undefined
  /** Throws unless the stored version is the one of If-Match. */
  readonly requireUnchanged: ((stores: Stores) => Promise<void>) | undefined
  readonly isRead: boolean
  readonly handle: (call: ManagementCall<Stores>) => Promise<unknown>
}

export type RunOperation<Stores> = (prepared: PreparedCall<Stores>) => Promise<unknown>

/** Runs operations as far as the roles of their callers reach, and records those that succeed. */
export function createOperationRunner<Stores extends RunnerStores>({
  services,
  transact,
  publishEndings,
  recordRead,
}: Dependencies<Stores>): RunOperation<Stores> {
  return async (prepared) => {
    const { attempt, scope, handle, isRead } = prepared
    await requireReachOfCall(services.stores, attempt.caller, prepared)
    const call: ManagementCall<Stores> = {
      caller: attempt.caller,
      clientAddress: attempt.clientAddress,
      targetId: attempt.target.id ?? '',
      seen: prepared.seen,
      change: (work) => change(prepared, work),
    }
    const result = await handle(call)
    // Before the response: no read is answered without its audit event, or its line in the log.
    if (isRead) await recordRead(succeeded(attempt, scope))
    return result
  }

  async function change<Result>(
    { attempt, scope, requireUnchanged, idempotentCall }: PreparedCall<Stores>,
    work: (stores: Stores) => Promise<Change<Result>>,
  ): Promise<Result> {
    const { kind, id } = attempt.target
    const committed = await transact((stores) =>
      runIdempotently<Result>(
        { services, stores, idempotentCall, callerId: attempt.caller.userId },
        async () => {
          if (id !== undefined) await stores.lock(kind, id)
          await requireUnchanged?.(stores)
          const done = await work(stores)
          await stores.record(succeeded(attempt, scope, done.details))
          for (const { action, target, ...event } of done.events ?? []) {
            await stores.record(attemptEvent({ ...attempt, action, target }, { result: 'success', ...event }))
          }
          return done
        },
      ),
    )
    await publishEndings(committed.epochs ?? [])
    return committed.result
  }
}

function succeeded(attempt: Attempt, { organizationId }: ResourceScope, details?: Attempt['details']) {
  return attemptEvent(attempt, { result: 'success', organizationId, details })
}

/** The values by which repeated calls with one Idempotency-Key run an operation once. */
export interface IdempotentCall {
  readonly key: string
  /** Digest of the operation and its input: another request under the same key is a mistake of the caller. */
  readonly requestDigest: Buffer
  /** The response as JSON, and back. */
  readonly write: (result: unknown) => unknown
  readonly read: (wire: unknown) => unknown
}

interface Context {
  readonly services: Pick<Tools, 'masterKeys' | 'random' | 'now'>
  readonly stores: Pick<RunnerStores, 'idempotency'>
  readonly idempotentCall: IdempotentCall | undefined
  /** A key is valid for calls of one caller. */
  readonly callerId: string
}

/**
 * Runs `work`, or returns the result of the first call under this key. Of parallel calls one works and the others wait
 * for its transaction. Responses are stored sealed, since some hold a secret that is shown only once.
 */
async function runIdempotently<Result>(
  { services, stores, idempotentCall, callerId }: Context,
  work: () => Promise<Change<Result>>,
): Promise<Change<Result>> {
  if (idempotentCall === undefined) return work()
  const { masterKeys, random, now } = services
  const { key, requestDigest } = idempotentCall
  const purpose = idempotencyPurpose(callerId, key)
  const claim = await stores.idempotency.claim({ callerId, key, requestDigest, at: now() })
  if (claim.outcome === 'other_request') {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'the Idempotency-Key was used for another request; take a new key for a new request',
      { reason: 'idempotency_key_reused', status: 422 },
    )
  }
  if (claim.outcome === 'repeated') {
    const response = openValue(masterKeys, claim.sealedResponse, purpose)
    if (response === undefined) throw new Error('no master key opens the stored response')
    // `read` parses the output of `write`.
    return { result: idempotentCall.read(JSON.parse(response.toString('utf8'))) as Result }
  }
  const done = await work()
  const response = Buffer.from(JSON.stringify(idempotentCall.write(done.result)))
  await stores.idempotency.setResponse({
    callerId,
    key,
    sealedResponse: sealValue(masterKeys, response, purpose, random),
  })
  return done
}

/** Clients retry within minutes; a day covers queues that were stopped over night. */
const RESPONSE_KEPT_MS = 86_400_000

/** Creates a job that deletes idempotency keys and their responses after a day. Every replica may run it. */
export function createDeleteOldResponses(
  idempotency: Pick<IdempotencyStore, 'deleteClaimedBefore'>,
  now: Clock,
): () => Promise<void> {
  return () => idempotency.deleteClaimedBefore(new Date(now().getTime() - RESPONSE_KEPT_MS))
}

import { ApiError } from '@signet/admin-api/api-error'
import { type Attempt, attemptEvent, type RecordRead } from '@signet/admin-api/audit/audit-log'
import type { Clock } from '@signet/platform/runtime/clock'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { Permission, ResourceScope } from '../permissions/permission.ts'
import { requirePermission } from '../permissions/require-permission.ts'
import { openValue, sealValue } from '../sealing/sealed-value.ts'
import type { IdempotencyStore } from './idempotency.repository.ts'
import type {
  Change,
  ManagementCall,
  ManagementServices,
  ManagementStores,
  Transact,
} from './management-call.ts'

interface Dependencies {
  readonly services: ManagementServices
  readonly transact: Transact
  readonly publishEndings: PublishEndings
  readonly recordRead: RecordRead
}

/** An operation with valid input, about to run. */
export interface Performance {
  readonly attempt: Attempt
  readonly permission: Permission
  readonly input: Readonly<Record<string, unknown>>
  /** The id of the account that the call acts on, if it acts on one. */
  readonly actsOn: string | undefined
  /** How a response is stored for a repetition under the same idempotency key. */
  readonly once: Once | undefined
  /** Throws unless what is stored is what the caller has seen. */
  readonly requireUnchanged: ((stores: ManagementStores) => Promise<void>) | undefined
  readonly isRead: boolean
  readonly handle: (call: ManagementCall) => Promise<unknown>
}

export type Perform = (performance: Performance) => Promise<unknown>

/** Runs operations for callers who hold a role that permits it, and records those that succeed. */
export function performer({ services, transact, publishEndings, recordRead }: Dependencies): Perform {
  return async (performance) => {
    const { attempt, permission, input, actsOn, handle, isRead } = performance
    const scope = await requirePermission(services.stores, attempt.caller, { permission, input, actsOn })
    const call: ManagementCall = {
      caller: attempt.caller,
      clientAddress: attempt.clientAddress,
      targetId: attempt.target.id ?? '',
      change: (work) => change(performance, scope, work),
    }
    const result = await handle(call)
    // Nothing is shown that is neither on record nor in the log.
    if (isRead) await recordRead(succeeded(attempt, scope))
    return result
  }

  async function change<Result>(
    { attempt, requireUnchanged, once }: Performance,
    scope: ResourceScope,
    work: (stores: ManagementStores) => Promise<Change<Result>>,
  ): Promise<Result> {
    const { kind, id } = attempt.target
    const committed = await transact((stores) =>
      performOnce<Result>({ services, stores, once, callerId: attempt.caller.userId }, async () => {
        if (id !== undefined) await stores.lock(kind, id)
        await requireUnchanged?.(stores)
        const done = await work(stores)
        await stores.record(succeeded(attempt, scope, done.details))
        for (const { action, target, ...event } of done.events ?? []) {
          await stores.record(attemptEvent({ ...attempt, action, target }, { result: 'success', ...event }))
        }
        return done
      }),
    )
    await publishEndings(committed.epochs ?? [])
    return committed.result
  }
}

function succeeded(attempt: Attempt, { organizationId }: ResourceScope, details?: Attempt['details']) {
  return attemptEvent(attempt, { result: 'success', organizationId, details })
}

/** The values that make an operation run once for all calls with the same key. */
export interface Once {
  readonly key: string
  /** Of the operation and its input: another request under the same key is a mistake of the caller. */
  readonly requestDigest: Buffer
  /** The response as JSON, and back. */
  readonly write: (result: unknown) => unknown
  readonly read: (wire: unknown) => unknown
}

interface Context {
  readonly services: Pick<ManagementServices, 'masterKeys' | 'random' | 'now'>
  readonly stores: Pick<ManagementStores, 'idempotency'>
  readonly once: Once | undefined
  /** Keys of one caller mean nothing to another. */
  readonly callerId: string
}

/**
 * Runs `work`, or returns the result of the first call under this key. Of parallel calls one works and the others wait
 * for its transaction. Responses are stored sealed, since some hold a secret that is shown only once.
 */
async function performOnce<Result>(
  { services, stores, once, callerId }: Context,
  work: () => Promise<Change<Result>>,
): Promise<Change<Result>> {
  if (once === undefined) return work()
  const { masterKeys, random, now } = services
  const { key, requestDigest } = once
  const purpose = `idempotency ${callerId} ${key}`
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
    return { result: once.read(JSON.parse(response.toString('utf8'))) as Result }
  }
  const done = await work()
  const response = Buffer.from(JSON.stringify(once.write(done.result)))
  await stores.idempotency.setResponse({
    callerId,
    key,
    sealedResponse: sealValue(masterKeys, response, purpose, random),
  })
  return done
}

/** Clients retry within minutes; a day covers queues that were stopped over night. */
const RESPONSE_KEPT_MS = 86_400_000

/** One round: deletes idempotency keys and their responses after a day. Every replica may run it. */
export function deleteOldResponses(
  idempotency: Pick<IdempotencyStore, 'deleteClaimedBefore'>,
  now: Clock,
): () => Promise<void> {
  return () => idempotency.deleteClaimedBefore(new Date(now().getTime() - RESPONSE_KEPT_MS))
}

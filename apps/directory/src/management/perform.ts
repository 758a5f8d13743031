import { type Attempt, attemptEvent, type RecordRead } from '@signet/admin-api/audit/audit-log'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { Permission, Place } from '../permissions/permission.ts'
import { requirePermission } from '../permissions/require-permission.ts'
import { type Once, performOnce } from './idempotency.ts'
import type { Change, ManagementCall, ManagementServices } from './management-call.ts'
import type { ManagementStores, Transact } from './management-stores.ts'

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
  /** How an answer is kept for a repetition under the same idempotency key. */
  readonly once: Once | undefined
  /** Throws unless what is stored is what the caller has seen. */
  readonly requireUnchanged: ((stores: ManagementStores) => Promise<void>) | undefined
  readonly isLook: boolean
  readonly handle: (call: ManagementCall) => Promise<unknown>
}

export type Perform = (performance: Performance) => Promise<unknown>

/** Runs operations for callers who hold a role that permits it, and records those that succeed. */
export function performer({ services, transact, publishEndings, recordRead }: Dependencies): Perform {
  return async (performance) => {
    const { attempt, permission, input, actsOn, handle, isLook } = performance
    const place = await requirePermission(services.stores, attempt.caller, { permission, input, actsOn })
    const call: ManagementCall = {
      caller: attempt.caller,
      clientAddress: attempt.clientAddress,
      targetId: attempt.target.id ?? '',
      change: (work) => change(performance, place, work),
    }
    const result = await handle(call)
    // Nothing is shown that is neither on record nor in the log.
    if (isLook) await recordRead(succeeded(attempt, place))
    return result
  }

  async function change<Result>(
    { attempt, requireUnchanged, once }: Performance,
    place: Place,
    work: (stores: ManagementStores) => Promise<Change<Result>>,
  ): Promise<Result> {
    const { kind, id } = attempt.target
    const committed = await transact((stores) =>
      performOnce<Result>({ services, stores, once, callerId: attempt.caller.userId }, async () => {
        if (id !== undefined) await stores.lock(kind, id)
        await requireUnchanged?.(stores)
        const done = await work(stores)
        await stores.record(succeeded(attempt, place, done.details))
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

function succeeded(attempt: Attempt, { organizationId }: Place, details?: Attempt['details']) {
  return attemptEvent(attempt, { result: 'success', organizationId, details })
}

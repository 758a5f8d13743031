import type { AuditEvent, AuditTarget } from '@signet/admin-api/audit/audit-trail'
import type { Caller } from '@signet/admin-api/caller'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { ForgetFailures } from '../accounts/account.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SessionKeeper } from '../sessions/session.ts'
import type { ManagementStores } from './management-stores.ts'

/** Something that happened to an object, without who did it. */
export type CallEvent = Pick<AuditEvent, 'action' | 'organizationId' | 'details'> & {
  readonly target: AuditTarget
}

/** The effects of a change. */
export interface Change<Result> {
  /** The body of the response. */
  readonly result: Result
  /** For the audit log: names of fields, states, roles; never text that a user typed. */
  readonly details?: AuditEvent['details']
  /** The epochs to publish before the response is sent. */
  readonly epochs?: readonly Epoch[]
  /** Further events for the audit log, with the caller as actor. */
  readonly events?: readonly CallEvent[]
}

/** The context of a use case of the management API. The caller's permission is checked. */
export interface ManagementCall {
  readonly caller: Caller
  /** Where the call comes from. */
  readonly clientAddress: string
  /** The id of the target; for a creation the id that the new object gets. */
  readonly targetId: string
  /**
   * Runs `work` in a transaction that also holds the audit event, the answer kept for a repetition under the same
   * idempotency key, and a lock on the target, so that changes of one object follow one another. Resolves when the
   * epochs are published. A repeated call gets the first answer without `work`.
   */
  change<Result>(work: (stores: ManagementStores) => Promise<Change<Result>>): Promise<Result>
}

/** The dependencies of the use cases of the management API; each names its own part of it. */
export interface ManagementServices {
  /** For reads; changes get their stores from the call. */
  readonly stores: ManagementStores
  readonly sessions: SessionKeeper
  readonly forgetFailures: ForgetFailures
  readonly hasher: PasswordHasher
  readonly frequentPasswords: ReadonlySet<string>
  /** Encrypt stored values that only this service may read. */
  readonly masterKeys: readonly Buffer[]
  readonly newId: () => string
  readonly now: Clock
  readonly random: RandomBytes
}

/**
 * The details of a change in the audit log: the names of the fields, and the state, whose values are an enum.
 */
export function changedFields(changes: object): {
  readonly fields: readonly string[]
  readonly state?: string
} {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const [, state] = given.find(([name]) => name === 'state') ?? []
  return { fields: given.map(([name]) => name), ...(typeof state === 'string' && { state }) }
}

import type { AuditEvent, AuditTarget } from '@signet/admin-api/audit/audit-trail'
import type { Caller } from '@signet/admin-api/caller'
import type { Epoch } from '../epochs/epoch.ts'
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

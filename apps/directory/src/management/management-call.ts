import type { AuditEvent, AuditTarget } from '@signet/admin-api/audit/audit-trail'
import type { Caller } from '@signet/admin-api/caller'
import type { Epoch } from '../epochs/epoch.ts'
import type { ManagementStores } from './management-stores.ts'

/** Something that happened to an object, without who did it. */
export type CallEvent = Pick<AuditEvent, 'action' | 'organizationId' | 'details'> & {
  readonly target: AuditTarget
}

/** What a change did. */
export interface Change<Result> {
  /** What is answered. */
  readonly result: Result
  /** For the audit trail: names of fields, states, roles; never what somebody typed. */
  readonly details?: AuditEvent['details']
  /** What has to end everywhere before the call is answered. */
  readonly epochs?: readonly Epoch[]
  /** What the trail tells besides the call itself, as done by its caller. */
  readonly events?: readonly CallEvent[]
}

/** What a use case of the management API knows about the call that it serves. The caller's permission is checked. */
export interface ManagementCall {
  readonly caller: Caller
  /** Where the call comes from. */
  readonly clientAddress: string
  /** The id of what the call is about; for what is created the id that it gets. */
  readonly targetId: string
  /**
   * Runs `work` in a transaction that also holds the audit event, the answer kept for a repetition under the same
   * idempotency key, and a lock on the target, so that changes of one object follow one another. Resolves when the
   * epochs are published. A repeated call gets the first answer without `work`.
   */
  change<Result>(work: (stores: ManagementStores) => Promise<Change<Result>>): Promise<Result>
}

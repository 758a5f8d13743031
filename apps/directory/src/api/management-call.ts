import type { AuditEvent, AuditTarget, ValueChanges } from '@signet/admin-api/audit/audit-table'
import type { Caller } from '@signet/admin-api/caller'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'

/** Event of an object, without the caller. */
export type CallEvent = Pick<AuditEvent, 'action' | 'organizationId' | 'details'> & {
  readonly target: AuditTarget
}

/** The effects of a change. */
export interface Change<Result> {
  /** The body of the response. */
  readonly result: Result
  /** Details for the audit log: names of fields, states, roles; never text that a user typed. */
  readonly details?: AuditEvent['details']
  /** The epochs to publish before the response is sent. */
  readonly epochs?: readonly Epoch[]
  /** Further events for the audit log, with the caller as actor. */
  readonly events?: readonly CallEvent[]
}

/** The context of a use case of the management API, with the stores that it uses. The caller's permission is checked. */
export interface ManagementCall<Stores = unknown> {
  readonly caller: Caller
  /** Network address of the caller. */
  readonly clientAddress: string
  /** The id of the target; for a creation the id that the new object gets. */
  readonly targetId: string
  /** The objects that a list which names none shows; undefined: every one. */
  readonly seen?: SeenObjects | undefined
  /**
   * Runs `work` in a transaction that also holds the audit event, the response stored for a repetition under the same
   * idempotency key, and a lock on the target, so that changes of one object follow one another. Resolves when the
   * epochs are published. A repeated call gets the first response without `work`.
   */
  readonly change: <Result>(work: (stores: Stores) => Promise<Change<Result>>) => Promise<Result>
}

/** Helpers of use cases that belong to no feature. */
export interface Tools {
  readonly hasher: PasswordHasher
  /** Encrypt stored values that only this service may read. */
  readonly masterKeys: readonly Buffer[]
  readonly issuer: string
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly rpId: string | undefined
  /** Whether clients may present certificates (RFC 8705). */
  readonly takesCertificates: boolean
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

/** The settings whose values differ, for the audit log. Members without a value count as null. */
export function changedValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ValueChanges {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const values = names.map((name) => [name, { old: before[name] ?? null, new: after[name] ?? null }] as const)
  return Object.fromEntries(
    values.filter(([, change]) => JSON.stringify(change.old) !== JSON.stringify(change.new)),
  )
}

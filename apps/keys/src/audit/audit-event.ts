import type { Caller } from '@signet/bearer-authentication/caller'

/** Who did it: somebody who called, or the service by the calendar. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user'; readonly id: string }
  | { readonly kind: 'system' }

export interface AuditTarget {
  readonly kind: string
  readonly id: string
}

/** One row of the audit trail; nothing secret belongs into it. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** `noun.verb`, in snake_case. */
  readonly action: string
  readonly target: AuditTarget
  readonly clientAddress?: string | undefined
  /** `refused` by a rule, `failed` through our own fault or a dependency's. */
  readonly result: 'success' | 'refused' | 'failed'
  readonly details?: Readonly<Record<string, string | number>> | undefined
}

/** On whose behalf something happens, as every event of it tells. */
export type AuditAuthor = Pick<AuditEvent, 'actor' | 'clientAddress' | 'details'>

export const BY_CALENDAR: AuditAuthor = { actor: { kind: 'system' } }

/** A call of the management API: who calls, from where, and what the call is about. */
export interface ManagementCall {
  readonly caller: Caller
  readonly clientAddress: string
  readonly action: string
  readonly target: AuditTarget
}

export function authorOf({ caller, clientAddress }: ManagementCall): AuditAuthor {
  return {
    actor: { kind: caller.kind, id: caller.userId },
    clientAddress,
    details: { token_id: caller.tokenId },
  }
}

/** The event of a call. */
export function callEvent(call: ManagementCall, outcome: Pick<AuditEvent, 'result' | 'details'>): AuditEvent {
  const { details, ...author } = authorOf(call)
  const { action, target } = call
  return { ...author, action, target, ...outcome, details: { ...details, ...outcome.details } }
}

import type { Caller } from '@signet/bearer-authentication/caller'

/** Who did it: somebody known by an id, somebody unknown, or the bootstrap file. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user'; readonly id: string }
  | { readonly kind: 'anonymous' | 'bootstrap' }

export interface AuditTarget {
  readonly kind: string
  readonly id: string
}

/** One row of the audit trail. Nothing that somebody typed and nothing secret belongs into it. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** `noun.verb` or a noun, in snake_case. */
  readonly action: string
  readonly target?: AuditTarget | undefined
  /** Where the target lies. */
  readonly organizationId?: string | undefined
  readonly clientAddress?: string | undefined
  /** `refused` by a rule, `failed` through our own fault or a dependency's. */
  readonly result: 'success' | 'refused' | 'failed'
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
}

/** A call of a management API: who calls, from where, and what the call is about. */
export interface ManagementCall {
  readonly caller: Caller
  readonly clientAddress: string
  readonly action: string
  readonly target: AuditTarget
}

/** The event of a call. */
export function callEvent(
  { caller, clientAddress, action, target }: ManagementCall,
  outcome: Pick<AuditEvent, 'result' | 'details' | 'organizationId'>,
): AuditEvent {
  const actor = { kind: caller.kind, id: caller.userId }
  const details = { token_id: caller.tokenId, ...outcome.details }
  return { actor, action, target, clientAddress, ...outcome, details }
}

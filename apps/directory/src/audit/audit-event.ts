import type { Caller } from '@signet/bearer-authentication/caller'

/** Who did it: somebody known by an id, somebody unknown, or the bootstrap file. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user'; readonly id: string }
  | { readonly kind: 'anonymous' | 'bootstrap' }

export interface AuditTarget {
  readonly kind: string
  /** Absent for what was never made, and for many at once. */
  readonly id?: string | undefined
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

/** That somebody calls an operation of a management API, from where, and what it is about. */
export interface Attempt {
  readonly caller: Caller
  readonly clientAddress: string
  readonly action: string
  readonly target: AuditTarget
  /** Of what the target belongs to. */
  readonly details?: AuditEvent['details']
}

/** The event of an attempt. */
export function attemptEvent(
  { caller, clientAddress, action, target, details }: Attempt,
  outcome: Pick<AuditEvent, 'result' | 'details' | 'organizationId'>,
): AuditEvent {
  return {
    actor: { kind: caller.kind, id: caller.userId },
    action,
    target,
    clientAddress,
    ...outcome,
    details: { token_id: caller.tokenId, ...details, ...outcome.details },
  }
}

import type { Caller } from '../caller.ts'
import type { AuditEvent, AuditTarget } from './audit-event.ts'

/** A call of an operation of a management API: the caller, its address and the target. */
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
    details: { ...authentication(caller), ...details, ...outcome.details },
  }
}

/** How the caller was authenticated: by which token, through whom, and how and when the user signed in. */
function authentication({
  tokenId,
  clientId,
  act,
  acr,
  authTime,
}: Caller): NonNullable<AuditEvent['details']> {
  return {
    token_id: tokenId,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(act !== undefined && { act }),
    ...(acr !== undefined && { acr }),
    ...(authTime !== undefined && { auth_time: authTime }),
  }
}

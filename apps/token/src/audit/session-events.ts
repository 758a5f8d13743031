import type { AuditActor, AuditEvent } from '@signet/admin-api/audit/audit-trail'

interface SessionOfUser {
  readonly sid: string
  readonly userId: string
  readonly organizationId: string | undefined
}

/** Who ends a session, and from where: the person themselves when nobody else is named. */
export interface EndedBy {
  readonly administrator?: Extract<AuditActor, { readonly kind: 'human' | 'service_user' | 'client' }>
  readonly clientAddress?: string
}

/** A person signed out, or was signed out. */
export function signOutEvent(
  { sid, userId, organizationId }: SessionOfUser,
  { administrator, clientAddress }: EndedBy,
): AuditEvent {
  return {
    actor: administrator ?? { kind: 'human', id: userId },
    action: 'sign_out',
    target: { kind: 'session', id: sid },
    organizationId,
    clientAddress,
    result: 'success',
    ...(administrator && { details: { user_id: userId } }),
  }
}

/** An application could not be told of the end of a session and will not be tried again. */
export function logoutGivenUpEvent(
  { clientId, sid, userId }: { readonly clientId: string; readonly sid: string; readonly userId: string },
  reason: string,
): AuditEvent {
  return {
    actor: { kind: 'service' },
    action: 'back_channel_logout',
    target: { kind: 'client', id: clientId },
    result: 'failed',
    details: { session_id: sid, user_id: userId, reason },
  }
}

import { type AuditActor, type AuditEvent, createAuditTable } from '@signet/admin-api/audit/audit-table'
import type { EpochMark } from '@signet/tokens/access-token'
import type { NewGrant } from './grant-store.ts'

/** A new refresh family: an application may act for the user from now on without them. None for another grant. */
export function familyEvents(grant: NewGrant, clientAddress: string): readonly AuditEvent[] {
  if (grant.refreshKid === undefined) return []
  const { grantId, clientId, user, userOrganization, scopes } = grant
  return [
    {
      ...byClient({ clientId, clientAddress }),
      action: 'refresh_family.begin',
      target: { kind: 'grant', id: grantId },
      organizationId: userOrganization.id,
      result: 'success',
      details: { user_id: user.id, scopes },
    },
  ]
}

interface GrantOfUser {
  readonly grantId: string
  readonly userId: string
  readonly organizationId: string
}

/** Origin of a request: the client that authenticated, and its address. */
export interface Requester {
  readonly clientId: string
  readonly clientAddress: string
}

/** The members of an event that name the client as its actor. */
const byClient = ({ clientId, clientAddress }: Requester) => ({
  actor: { kind: 'client', id: clientId } as const,
  clientAddress,
})

/**
 * RFC 9700 section 4.14 and RFC 6749 section 4.1.2: a used token or code was presented again, and its grant
 * was revoked.
 */
export function reuseEvent(
  action: 'authorization_code.reuse' | 'refresh_token.reuse',
  { grantId, userId, organizationId }: GrantOfUser,
  requester: Requester,
): AuditEvent {
  return {
    ...byClient(requester),
    action,
    target: { kind: 'grant', id: grantId },
    organizationId,
    result: 'refused',
    details: { user_id: userId },
  }
}

/** RFC 8628: a person allowed or refused what a device asked for. */
export function deviceEvent(
  action: 'device.approve' | 'device.deny',
  {
    clientId,
    scopes,
    session,
    clientAddress,
  }: {
    readonly clientId: string
    readonly scopes: readonly string[]
    readonly session: { readonly sid: string; readonly user: EpochMark; readonly organization: EpochMark }
    readonly clientAddress: string
  },
): AuditEvent {
  return {
    actor: { kind: 'human', id: session.user.id },
    action,
    target: { kind: 'client', id: clientId },
    organizationId: session.organization.id,
    clientAddress,
    result: 'success',
    details: { scopes, session_id: session.sid },
  }
}

/** An application got an assertion about a person for another authorization server, or an access token for one. */
export function identityAssertionEvent(
  action: 'identity_assertion.issue' | 'identity_assertion.accept',
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
  { details, ...requester }: Requester & Pick<AuditEvent, 'details'>,
): AuditEvent {
  return {
    ...byClient(requester),
    action,
    target: { kind: 'user', id: userId },
    organizationId,
    result: 'success',
    details,
  }
}

/** RFC 7009: an application gave back a token. The store adds the owner of a grant that was not read before. */
export function revocationEvent(
  target: { readonly kind: 'grant' | 'token'; readonly id: string },
  owner: { readonly subject: string; readonly organizationId: string | undefined } | undefined,
  requester: Requester,
): AuditEvent {
  return {
    ...byClient(requester),
    action: 'token.revoke',
    target,
    result: 'success',
    ...(owner && { organizationId: owner.organizationId, details: { subject: owner.subject } }),
  }
}

/** F-38: a person took back what an application might do for them. */
export function accessEndedEvent(
  {
    userId,
    clientId,
    organizationId,
  }: {
    readonly userId: string
    readonly clientId: string
    readonly organizationId: string | undefined
  },
  clientAddress: string | undefined,
): AuditEvent {
  return {
    actor: { kind: 'human', id: userId },
    action: 'access.end',
    target: { kind: 'client', id: clientId },
    organizationId,
    clientAddress,
    result: 'success',
  }
}

interface SessionOfUser {
  readonly sid: string
  readonly userId: string
}

/** The administrator who ends a session, and the client address; without an administrator its user ends it. */
export interface EndedBy {
  readonly administrator?: Extract<AuditActor, { readonly kind: 'human' | 'service_user' | 'client' }>
  readonly clientAddress?: string
}

/** A person signed out, or was signed out. The store adds the organization of the person. */
export function signOutEvent(
  { sid, userId }: SessionOfUser,
  { administrator, clientAddress }: EndedBy,
): AuditEvent {
  return {
    actor: administrator ?? { kind: 'human', id: userId },
    action: 'sign_out',
    target: { kind: 'session', id: sid },
    clientAddress,
    result: 'success',
    ...(administrator && { details: { user_id: userId } }),
  }
}

/** An application did not accept the logout token of a session, and no further attempt follows. */
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

/** The audit log of this service, in its own schema. */
export const auditTable = createAuditTable('grants')

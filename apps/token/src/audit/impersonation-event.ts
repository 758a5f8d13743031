import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { Party } from '../exchange/party.ts'
import type { Requester } from './grant-events.ts'

interface Impersonation extends Requester {
  readonly actor: Party
  readonly subject: Party
}

/** RFC 8693 section 1.1: somebody asked, through an application, to act for somebody else. */
export function impersonationEvent(
  { actor, subject, clientId, clientAddress }: Impersonation,
  outcome: Pick<AuditEvent, 'result' | 'details'>,
): AuditEvent {
  const { kind, userId } = actor.account
  return {
    actor: { kind, id: userId },
    action: 'impersonation',
    target: { kind: 'user', id: subject.account.userId },
    organizationId: subject.account.organizationId,
    clientAddress,
    result: outcome.result,
    details: { client_id: clientId, ...outcome.details },
  }
}

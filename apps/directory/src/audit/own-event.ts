import type { AuditEvent } from '@signet/admin-api/audit/audit-table'

/** The event of a person who changes their own account. */
export function ownEvent(
  action: string,
  { userId, clientAddress }: Pick<AuditEvent, 'clientAddress'> & { readonly userId: string },
  more: Partial<AuditEvent> = {},
): AuditEvent {
  return {
    actor: { kind: 'human', id: userId },
    action,
    target: { kind: 'user', id: userId },
    clientAddress,
    result: 'success',
    ...more,
  }
}

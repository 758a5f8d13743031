import type { AuditEntry } from '../audit/audit-entry.ts'

/** Qualified by nothing: they are the same in every trail. */
export const AUDIT_COLUMNS = `id, at, (extract(epoch FROM at) * 1000000)::bigint AS microseconds, action, result,
  actor_kind AS "actorKind", actor_id AS "actorId", target_kind AS "targetKind", target_id AS "targetId",
  organization_id AS "organizationId", client_address AS "clientAddress", details`

export interface AuditRow
  extends Pick<AuditEntry, 'id' | 'at' | 'service' | 'action' | 'result' | 'details'> {
  readonly microseconds: number
  readonly actorKind: string
  readonly actorId: string | null
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly organizationId: string | null
  readonly clientAddress: string | null
}

export function toEntry(row: AuditRow): AuditEntry {
  const { id, at, service, action, result, details, targetKind } = row
  return {
    id,
    at,
    service,
    action,
    result,
    actor: { kind: row.actorKind, id: row.actorId ?? undefined },
    ...(targetKind !== null && { target: { kind: targetKind, id: row.targetId ?? undefined } }),
    organizationId: row.organizationId ?? undefined,
    clientAddress: row.clientAddress ?? undefined,
    details,
  }
}

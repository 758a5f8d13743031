import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import type { AuditEntry, AuditFilter, AuditPosition } from './audit-entry.ts'

/** Audit events of all services, newest first. */
export async function listAudit(
  _call: ManagementCall,
  { limit, cursor, ...filter }: AuditFilter & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<AuditEntry>> {
  const after = cursor === undefined ? undefined : readPosition(cursor)
  const found = await stores.auditEntries.newest(filter, { after, limit: limit + 1 })
  const items = found.slice(0, limit).map(({ entry }) => entry)
  const last = found.length > limit ? found[limit - 1]?.position : undefined
  return { items, nextCursor: last && `${last.microseconds} ${last.id}` }
}

function readPosition(cursor: string): AuditPosition {
  const [, microseconds, id] = /^(\d{1,16}) ([0-9a-f-]{36})$/.exec(cursor) ?? []
  if (microseconds !== undefined && id !== undefined) return { microseconds: Number(microseconds), id }
  throw invalidFields([{ field: 'cursor', rule: 'must be the nextCursor of the answer before' }])
}

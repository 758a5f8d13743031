import type { Queryable } from '@signet/platform/postgres/pool'
import type { AuditEvent } from './audit-event.ts'
import type { AuditTrail } from './audit-trail.ts'

/** Records events that belong to no change. */
export interface AuditLog {
  /** Stores an event in a transaction of its own. */
  record(event: AuditEvent): Promise<void>
}

export function auditLog(trail: AuditTrail, database: Queryable): AuditLog {
  return { record: (event) => trail.record(database, event) }
}

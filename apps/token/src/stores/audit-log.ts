import type { AuditEvent } from '@signet/audit-trail/audit-event'
import { auditTrail } from '@signet/audit-trail/audit-trail'
import type { Queryable } from '@signet/postgres/pool'

const trail = auditTrail('grants')

/** Stores an event in the transaction of the change it tells of. */
export const recordAuditEvent = trail.record
export const settleAuditPartitions = trail.settlePartitions

export interface AuditLog {
  /** Stores an event that no change goes with. */
  record(event: AuditEvent): Promise<void>
}

export class PostgresAuditLog implements AuditLog {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  record(event: AuditEvent): Promise<void> {
    return recordAuditEvent(this.#database, event)
  }
}

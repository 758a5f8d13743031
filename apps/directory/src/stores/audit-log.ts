import type { AuditEvent } from '@signet/audit-trail/audit-event'
import { auditTrail } from '@signet/audit-trail/audit-trail'
import type { Queryable } from '@signet/postgres/pool'

const trail = auditTrail('directory')

/** Stores an event in the transaction of the change it tells of. */
export const recordAuditEvent = trail.record

export interface AuditLog {
  /** Stores an event that no change goes with. */
  record(event: AuditEvent): Promise<void>
  /** Makes the partitions ahead and drops those that are old enough. Any number of replicas may call it at once. */
  settlePartitions(): Promise<void>
}

export class PostgresAuditLog implements AuditLog {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  record(event: AuditEvent): Promise<void> {
    return recordAuditEvent(this.#database, event)
  }

  settlePartitions(): Promise<void> {
    return trail.settlePartitions(this.#database)
  }
}

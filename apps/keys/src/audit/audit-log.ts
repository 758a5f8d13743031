import type { AuditEvent } from './audit-event.ts'

export interface AuditLog {
  /** Stores an event that no change goes with. */
  record(event: AuditEvent): Promise<void>
  /** Makes the partitions ahead and drops those that are old enough. Any number of replicas may call it at once. */
  settlePartitions(): Promise<void>
}

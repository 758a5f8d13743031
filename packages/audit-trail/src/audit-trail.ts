import type { Queryable } from '@signet/postgres/pool'
import type { AuditEvent } from './audit-event.ts'

/** The table `audit_event` in the schema of one owner. */
export interface AuditTrail {
  /** Stores an event, in the transaction of the change that it tells of. */
  record(tx: Queryable, event: AuditEvent): Promise<void>
  /** Makes the partitions ahead and drops those that are old enough. Any number of replicas may call it at once. */
  settlePartitions(database: Queryable): Promise<void>
}

export function auditTrail(schema: 'directory' | 'grants'): AuditTrail {
  return {
    async record(tx, { actor, action, target, organizationId, clientAddress, result, details }) {
      await tx.query({
        name: 'audit_event.add',
        text: `INSERT INTO ${schema}.audit_event (actor_id, actor_kind, action, target_kind, target_id,
                                                  organization_id, client_address, result, details)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        values: [
          'id' in actor ? actor.id : null,
          actor.kind,
          action,
          target?.kind ?? null,
          target?.id ?? null,
          organizationId ?? null,
          clientAddress ?? null,
          result,
          JSON.stringify(details ?? {}),
        ],
      })
    },
    async settlePartitions(database) {
      await database.query({
        name: 'audit_event.settle_partitions',
        text: `SELECT ${schema}.settle_audit_partitions(now())`,
      })
    },
  }
}

import type { Queryable } from '@signet/postgres/pool'
import type { AuditEvent } from './audit-event.ts'

/** The table `audit_event` in the schema of one owner. */
export interface AuditTrail {
  /** Stores events, in the transaction of the change that they tell of. */
  record(tx: Queryable, ...events: readonly AuditEvent[]): Promise<void>
  /** Makes the partitions ahead and drops those that are old enough. Any number of replicas may call it at once. */
  settlePartitions(database: Queryable): Promise<void>
}

export function auditTrail(schema: 'directory' | 'grants' | 'keys' | 'migration'): AuditTrail {
  return {
    async record(tx, ...events) {
      if (events.length === 0) return
      await tx.query({
        name: 'audit_event.add',
        text: `INSERT INTO ${schema}.audit_event (actor_id, actor_kind, action, target_kind, target_id,
                                                  organization_id, client_address, result, details)
               SELECT actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
                 FROM jsonb_to_recordset($1::jsonb)
                   AS r (actor_id text, actor_kind text, action text, target_kind text, target_id text,
                         organization_id text, client_address text, result text, details jsonb)`,
        values: [JSON.stringify(events.map(toRow))],
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

function toRow({ actor, action, target, organizationId, clientAddress, result, details = {} }: AuditEvent) {
  return {
    actor_id: 'id' in actor ? actor.id : undefined,
    actor_kind: actor.kind,
    action,
    target_kind: target?.kind,
    target_id: target?.id,
    organization_id: organizationId,
    client_address: clientAddress,
    result,
    details,
  }
}

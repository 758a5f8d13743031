import type { Queryable } from '@signet/postgres/pool'
import type { AuditEvent } from '../audit/audit-event.ts'

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

  async settlePartitions(): Promise<void> {
    await this.#database.query({
      name: 'audit_event.settle_partitions',
      text: 'SELECT directory.settle_audit_partitions(now())',
    })
  }
}

/** Stores an event in the transaction of the change it tells of. */
export async function recordAuditEvent(tx: Queryable, event: AuditEvent): Promise<void> {
  const { actor, action, target, organizationId, clientAddress, result, details } = event
  await tx.query({
    name: 'audit_event.add',
    text: `INSERT INTO directory.audit_event (actor_id, actor_kind, action, target_kind, target_id, organization_id,
                                              client_address, result, details)
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
}

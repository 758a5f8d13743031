import type { Queryable } from '@signet/postgres/pool'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { AuditLog } from '../audit/audit-log.ts'

export class PostgresAuditLog implements AuditLog {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  record(event: AuditEvent): Promise<void> {
    return recordAuditEvents(this.#database, [event])
  }

  async settlePartitions(): Promise<void> {
    await this.#database.query({
      name: 'audit_event.settle_partitions',
      text: 'SELECT keys.settle_audit_partitions(now())',
    })
  }
}

/** Stores events in the transaction of the change that they tell of. */
export async function recordAuditEvents(tx: Queryable, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ actor, action, target, clientAddress, result, details }) => ({
    actor_id: 'id' in actor ? actor.id : null,
    actor_kind: actor.kind,
    action,
    target_kind: target.kind,
    target_id: target.id,
    client_address: clientAddress ?? null,
    result,
    details: details ?? {},
  }))
  await tx.query({
    name: 'audit_event.add',
    text: `INSERT INTO keys.audit_event (actor_id, actor_kind, action, target_kind, target_id, client_address, result,
                                         details)
           SELECT actor_id, actor_kind, action, target_kind, target_id, client_address, result, details
             FROM jsonb_to_recordset($1) AS event (actor_id text, actor_kind text, action text, target_kind text,
                                                   target_id text, client_address text, result text, details jsonb)`,
    values: [JSON.stringify(rows)],
  })
}

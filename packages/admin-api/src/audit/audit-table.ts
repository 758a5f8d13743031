import type { Logger } from '@signet/platform/logger/logger'
import type { Database, Queryable, Statement } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/clock'
import { currentRequestId } from '@signet/platform/runtime/current-request'

/** The audit log of one service: the table `audit_event` in the schema `<schema>_audit`, whose owner is `signet_audit`. */
export interface AuditTable {
  /** Stores events, in the transaction of the change that they describe. */
  record(tx: Queryable, ...events: readonly AuditEvent[]): Promise<void>
  /**
   * The statement that stores events, for a transaction whose statements are sent together. With a condition it stores none
   * when the condition is false. No statement for no events.
   */
  statements(events: readonly AuditEvent[], condition?: Condition): readonly Statement[]
  /** The statement that stores an event for each row that is joined to it, completed by that row. */
  statementFrom(events: readonly AuditEvent[], rows: EventRows): Statement
  /**
   * Creates the partitions of the month of `now` (in UTC) and of the next one, which is what a start needs, and the same for
   * the clock of PostgreSQL. Any number of replicas may call it at once, and writers do not wait.
   */
  createPartitions(database: Database, now: Date): Promise<void>
  /**
   * Creates partitions one month further ahead than `createPartitions`, and drops sealed rows that are 400 days old
   * by both clocks. A clock that is ahead drops nothing.
   */
  settlePartitions(database: Database, now: Date): Promise<void>
}

/** A condition of SQL for one kind of change. */
export interface Condition {
  /** Distinguishes statements whose text differs. */
  readonly name: string
  /** The SQL, whose parameters are numbered from `first`. */
  readonly sql: (first: number) => string
  readonly values: readonly unknown[]
}

/** Rows that decide whether events are stored, and that hold what their caller does not know. */
export interface EventRows extends Condition {
  /** A WITH clause, whose parameters are numbered as those of `sql`. */
  readonly before?: (first: number) => string
  /** The SQL behind the events, whose row is named `r`: joins and conditions. Its parameters are numbered from `first`. */
  readonly sql: (first: number) => string
  /** The organization of the target, an SQL expression. */
  readonly organizationId: string
  /** The details, an SQL expression of type jsonb; those of the events when left out. */
  readonly details?: string
}

export function createAuditTable(schema: 'directory' | 'grants' | 'keys' | 'migration'): AuditTable {
  const settle = (database: Database, now: Date, monthsAhead: number) =>
    database.transaction(
      async (tx) => {
        await tx.query({
          name: 'audit_event.settle',
          text: `SELECT ${schema}_audit.settle($1, $2)`,
          values: [now, monthsAhead],
        })
      },
      { kind: 'background' },
    )
  const statementFrom = (
    events: readonly AuditEvent[],
    {
      name,
      before,
      sql,
      organizationId,
      details = 'r.details',
      values,
    }: Omit<EventRows, 'name'> & { readonly name?: string },
  ): Statement => ({
    name: name === undefined ? 'audit_event.add' : `audit_event.add_${name}`,
    text: `${before?.(2) ?? ''}INSERT INTO ${schema}_audit.audit_event (actor_id, actor_kind, action, target_kind, target_id,
                                                    organization_id, client_address, result, details)
           SELECT r.actor_id, r.actor_kind, r.action, r.target_kind, r.target_id, ${organizationId}, r.client_address, r.result, ${details}
             FROM jsonb_to_recordset($1::jsonb)
               AS r (actor_id text, actor_kind text, action text, target_kind text, target_id text,
                     organization_id text, client_address text, result text, details jsonb)
            ${sql(2)}`,
    values: [JSON.stringify(events.map(toRow)), ...values],
  })
  const statements = (events: readonly AuditEvent[], condition?: Condition): readonly Statement[] => {
    if (events.length === 0) return []
    const completed = { organizationId: 'r.organization_id' }
    return [
      condition === undefined
        ? statementFrom(events, { ...completed, sql: () => '', values: [] })
        : statementFrom(events, {
            ...completed,
            ...condition,
            sql: (first) => `WHERE ${condition.sql(first)}`,
          }),
    ]
  }
  return {
    statements,
    statementFrom,
    async record(tx, ...events) {
      await Promise.all(statements(events).map((statement) => tx.query(statement)))
    },
    createPartitions: (database, now) => settle(database, now, 1),
    settlePartitions: (database, now) => settle(database, now, 2),
  }
}

/** Names the request whose work this is, for an event that is stored with those of other requests. */
export function ofCurrentRequest(event: AuditEvent): AuditEvent {
  const requestId = currentRequestId()
  return requestId === undefined ? event : { ...event, details: { request_id: requestId, ...event.details } }
}

function toRow(event: AuditEvent) {
  const {
    actor,
    action,
    target,
    organizationId,
    clientAddress,
    result,
    details = {},
  } = ofCurrentRequest(event)
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

/** The actor: an account with an id, an unknown caller, the bootstrap file, or the service itself. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user' | 'client'; readonly id: string }
  | { readonly kind: 'anonymous' | 'bootstrap' | 'service' }

export interface AuditTarget {
  readonly kind: string
  /** Absent for what was never made, and for many at once. */
  readonly id?: string | undefined
}

/** The old and new values of settings that changed, by their names; null: there is no rule. Never a secret. */
export type ValueChanges = Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>

/** Row of the audit log. It contains no secret, and no text that a person typed but the values of settings. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** `noun.verb` or a noun, in snake_case. */
  readonly action: string
  readonly target?: AuditTarget | undefined
  /** Id of the organization of the target. */
  readonly organizationId?: string | undefined
  readonly clientAddress?: string | undefined
  /** `refused` by a rule, `failed` through our own fault or a dependency's. */
  readonly result: 'success' | 'refused' | 'failed'
  readonly details?:
    | Readonly<Record<string, string | number | boolean | readonly string[] | ValueChanges>>
    | undefined
}

/** Partitions are created two months ahead, so a few missed rounds are harmless. */
const INTERVAL_MS = 6 * 3_600_000

interface Dependencies {
  readonly table: AuditTable
  readonly database: Database
  readonly logger: Logger
  readonly now: Clock
}

/** Keeps partitions of the audit log ready and drops old ones until the returned function is called. */
export function createKeepPartitions({ table, database, logger, now }: Dependencies): () => Promise<void> {
  const onError = (error: unknown) => logger.error('audit_partitions_failed', { error })
  const rounds = repeat(INTERVAL_MS, () => table.settlePartitions(database, now()), onError)
  return () => rounds.stop()
}

import type { Logger } from '@signet/platform/logger/logger'
import { createPartitions, dropPartitions, type Partition } from '@signet/platform/postgres/partitions'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/repeat'

/** The audit log of one owner: the table `audit_event` in its schema. */
export interface AuditTable {
  /** Stores events, in the transaction of the change that they describe. */
  record(tx: Queryable, ...events: readonly AuditEvent[]): Promise<void>
  /**
   * Creates the partitions of the month of `now` (in UTC) and of the next one, which is what a start needs. Any number
   * of replicas may call it at once, and writers do not wait.
   */
  createPartitions(database: Database, now: Date): Promise<void>
  /** As `createPartitions`, one more month ahead, and drops the partitions whose last event is 400 days old. */
  settlePartitions(database: Database, now: Date): Promise<void>
}

const KEPT_MS = 400 * 86_400_000

export function createAuditTable(schema: 'directory' | 'grants' | 'keys' | 'migration'): AuditTable {
  const table = { schema, name: 'audit_event' }
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
    async createPartitions(database, now) {
      await createPartitions(database, table, [monthOf(now, 0), monthOf(now, 1)])
    },
    async settlePartitions(database, now) {
      await createPartitions(database, table, [monthOf(now, 0), monthOf(now, 1), monthOf(now, 2)])
      await dropPartitions(database, table, (suffix) => endOf(suffix) < now.getTime() - KEPT_MS)
    },
  }
}

/** The partition of the month that is so many months after that of `now`, in UTC. */
function monthOf(now: Date, ahead: number): Partition {
  const start = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString()
  return {
    suffix: start(ahead).slice(0, 7).replace('-', '_'),
    from: `'${start(ahead)}'`,
    to: `'${start(ahead + 1)}'`,
  }
}

/** The first moment after the month `YYYY_MM`, in milliseconds since 1970. */
function endOf(suffix: string): number {
  const [year = 0, month = 0] = suffix.split('_').map(Number)
  return Date.UTC(year, month)
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

/** The actor: an account with an id, an unknown caller, the bootstrap file, or the service itself. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user' | 'client'; readonly id: string }
  | { readonly kind: 'anonymous' | 'bootstrap' | 'service' }

export interface AuditTarget {
  readonly kind: string
  /** Absent for what was never made, and for many at once. */
  readonly id?: string | undefined
}

/** One row of the audit log. It contains no text that a person typed and no secret. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** `noun.verb` or a noun, in snake_case. */
  readonly action: string
  readonly target?: AuditTarget | undefined
  /** Where the target lies. */
  readonly organizationId?: string | undefined
  readonly clientAddress?: string | undefined
  /** `refused` by a rule, `failed` through our own fault or a dependency's. */
  readonly result: 'success' | 'refused' | 'failed'
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
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
export function keepPartitions({ table, database, logger, now }: Dependencies): () => Promise<void> {
  const onError = (error: unknown) => logger.error('audit_partitions_failed', { error })
  const rounds = repeat(INTERVAL_MS, () => table.settlePartitions(database, now()), onError)
  return () => rounds.stop()
}

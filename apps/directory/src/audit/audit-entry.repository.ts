import type { Queryable } from '@signet/platform/postgres/pool'
import type { AuditEntry, AuditedService, AuditFilter, AuditPosition } from './audit-entry.ts'
import { READING } from './ocsf.ts'

/** Columns without an alias, because every audit log has the same ones. */
const AUDIT_COLUMNS = `id, at, (extract(epoch FROM at) * 1000000)::bigint AS microseconds, action, result,
  actor_kind AS "actorKind", actor_id AS "actorId", target_kind AS "targetKind", target_id AS "targetId",
  organization_id AS "organizationId", client_address AS "clientAddress", details`

interface AuditRow extends Pick<AuditEntry, 'id' | 'at' | 'service' | 'action' | 'result' | 'details'> {
  readonly microseconds: number
  readonly actorKind: string
  readonly actorId: string | null
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly organizationId: string | null
  readonly clientAddress: string | null
}

function toEntry(row: AuditRow): AuditEntry {
  const { id, at, service, action, result, details, targetKind } = row
  return {
    id,
    at,
    service,
    action,
    result,
    actor: { kind: row.actorKind, id: row.actorId ?? undefined },
    ...(targetKind !== null && { target: { kind: targetKind, id: row.targetId ?? undefined } }),
    organizationId: row.organizationId ?? undefined,
    clientAddress: row.clientAddress ?? undefined,
    details,
  }
}

interface FoundEntry {
  readonly entry: AuditEntry
  readonly position: AuditPosition
}

const AUDIT_LOGS: Readonly<Record<AuditedService, string>> = {
  directory: 'directory_audit.audit_event',
  token: 'grants_read.audit_event_v1',
  keys: 'keys_read.audit_event_v1',
  migration: 'migration_read.audit_event_v1',
}

/** Actions of two parts have a verb. */
const NO_READ = `NOT (result = 'success' AND (split_part(action, '.', 2) = ANY ('{${READING.verbs}}') OR action = ANY ('{${READING.actions}}')))`

type Condition = readonly [text: (place: string) => string, value: unknown]

export class AuditEntryStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The newest entries of all audit logs after a position. Audit logs that are not published yet count as empty. */
  async newest(
    filter: AuditFilter,
    { after, limit }: { readonly after: AuditPosition | undefined; readonly limit: number },
  ): Promise<readonly FoundEntry[]> {
    const logs = await publishedLogs(this.#database)
    const { requestId } = filter
    const request = requestId === undefined ? [] : await this.#ofRequest(requestId, logs)
    const conditions = [...conditionsOf(filter, after), ...request]
    const reads = filter.kind === 'changes' ? [NO_READ] : []
    const where = ['true', ...reads, ...conditions.map(([text], at) => text(`$${at + 2}`))].join(' AND ')
    const order = 'ORDER BY at DESC, id DESC LIMIT $1'
    // Each audit log is read along one index, with the limit of the response.
    const parts = logs.map(
      (service) =>
        `(SELECT '${service}' AS service, ${AUDIT_COLUMNS} FROM ${AUDIT_LOGS[service]} WHERE ${where} ${order})`,
    )
    const { rows } = await this.#database.query<AuditRow>({
      // audit_event_actor, audit_event_target, or the primary key of each partition. Without a name: the text varies.
      name: '',
      text: `SELECT * FROM (${parts.join(' UNION ALL ')}) AS entries ${order}`,
      values: [limit, ...conditions.map(([, value]) => value)],
    })
    return rows.map((row) => ({
      entry: toEntry(row),
      position: { microseconds: row.microseconds, id: row.id },
    }))
  }

  /**
   * Reads the minutes around the time of the id alone, since no index has ids of requests; for a request that started a
   * job, or let it go on, also all until the last event of the job.
   */
  async #ofRequest(requestId: string, logs: readonly AuditedService[]): Promise<readonly Condition[]> {
    const id = requestId.toLowerCase()
    const startedAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
    const from = new Date(startedAt - REQUEST_MS)
    const to = new Date(startedAt + REQUEST_MS)
    const { rows } = logs.includes('migration')
      ? await this.#database.query<{ to: Date | null }>({
          name: 'audit_event.end_of_job', // primary key of each partition, audit_event_target
          text: `SELECT max(CASE WHEN NOT EXISTS (SELECT FROM ${AUDIT_LOGS.migration} e WHERE e.target_id = s.target_id
                                                     AND e.at >= s.at AND e.action LIKE '%.end') THEN now()
                                 ELSE (SELECT max(e.at) FROM ${AUDIT_LOGS.migration} e WHERE e.target_id = s.target_id) END) AS to
                   FROM ${AUDIT_LOGS.migration} s
                  WHERE s.at >= $1 AND s.at < $2 AND s.details ->> 'request_id' = $3
                    AND s.target_kind = 'job' AND s.target_id IS NOT NULL`,
          values: [from, to, id],
        })
      : { rows: [] }
    const endedAt = (rows[0]?.to?.getTime() ?? 0) + REQUEST_MS
    return [
      [(place) => `at >= ${place}`, from],
      [(place) => `at < ${place}`, new Date(Math.max(to.getTime(), endedAt))],
      [(place) => `details ->> 'request_id' = ${place}`, id],
    ]
  }
}

/** Returns the logs that can be read: the services start in any order, and each publishes its own with its migrations. */
export async function publishedLogs(database: Queryable): Promise<readonly AuditedService[]> {
  const { rows } = await database.query<{ name: string }>({
    name: 'audit_event.published', // catalogue
    text: `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relname LIKE 'audit_event%' AND has_schema_privilege(n.oid, 'USAGE')
              AND has_table_privilege(c.oid, 'SELECT')`,
  })
  const names = new Set(rows.map(({ name }) => name))
  return (Object.keys(AUDIT_LOGS) as AuditedService[]).filter((service) => names.has(AUDIT_LOGS[service]))
}

function conditionsOf(filter: AuditFilter, after: AuditPosition | undefined): readonly Condition[] {
  const equal = (column: string, value: unknown): readonly Condition[] =>
    value === undefined ? [] : [[(place) => `${column} = ${place}`, value]]
  return [
    ...equal('organization_id', filter.organizationId),
    ...equal('actor_id', filter.actorId),
    ...equal('action', filter.action),
    ...equal('target_kind', filter.targetKind),
    ...equal('target_id', filter.targetId),
    ...equal('result', filter.result),
    ...(filter.seen === undefined
      ? []
      : [
          [
            (place: string) => `organization_id = ANY (${place}::text[])`,
            filter.seen.organizationIds,
          ] as const,
        ]),
    ...(filter.from === undefined ? [] : [[(place: string) => `at >= ${place}`, filter.from] as const]),
    ...(filter.to === undefined ? [] : [[(place: string) => `at < ${place}`, filter.to] as const]),
    ...(after === undefined ? [] : behind(after)),
  ]
}

/** Longest time between an id of a request and its entries, with the difference between two clocks. */
const REQUEST_MS = 300_000

/** Uses microseconds, because a Date has only milliseconds. */
function behind({ microseconds, id }: AuditPosition): readonly Condition[] {
  const at = `timestamptz 'epoch' + ${microseconds} * interval '1 microsecond'`
  return [[(place) => `(at, id) < (${at}, ${place}::uuid)`, id]]
}

import type { Queryable } from '@signet/platform/postgres/pool'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import { publishedLogs } from './audit-entry.repository.ts'
import type { AuditedService } from './audit-entry.ts'

/** Entries of each audit log that one call counts; the newest ones that its caller may see. */
const MOST = 500_000

/** Numbers of one span of time, which begins at `at` (unix seconds). */
export interface ActivityCount {
  readonly at: number
  readonly signIns: number
  readonly refused: number
  readonly signOuts: number
}

interface ActivityQuestion {
  readonly from: Date
  readonly stepSeconds: number
  readonly organizationId?: string | undefined
  readonly seen?: SeenObjects | undefined
}

interface Counted {
  /** Spans without an entry are absent. */
  readonly counts: readonly ActivityCount[]
  /** The oldest entry that was counted, when the limit left older ones out; unix seconds. */
  readonly since: number | undefined
}

/** Entries of other organizations neither count nor use up the limit. */
const SEEN = `($3::text IS NULL OR organization_id = $3) AND ($4::text[] IS NULL OR organization_id = ANY ($4))`
const ENTRIES: Readonly<Partial<Record<AuditedService, string>>> = {
  directory: `SELECT at, organization_id, result = 'success' AS succeeded, false AS is_sign_out
                FROM directory_audit.audit_event
               WHERE at >= $1 AND ${SEEN} AND (action IN ('sign_in.lockout', 'authorization') OR (
                     action = 'sign_in' AND (result <> 'success' OR details ->> 'factor' IN ('password', 'passkey'))))`,
  token: `SELECT at, organization_id, true, true FROM grants_read.audit_event_v1
            WHERE at >= $1 AND ${SEEN} AND action = 'sign_out'`,
}

/** Counts sign-ins from the audit logs. */
export class ActivityStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The time of the database, which the entries have, in unix seconds. */
  async now(): Promise<number> {
    const { rows } = await this.#database.query<{ now: number }>({
      name: 'activity.now',
      text: 'SELECT extract(epoch FROM now())::integer AS now',
      values: [],
    })
    return rows[0]?.now ?? 0
  }

  async count({ from, stepSeconds, organizationId, seen }: ActivityQuestion): Promise<Counted> {
    const logs = (await publishedLogs(this.#database)).flatMap((service) => ENTRIES[service] ?? [])
    const { rows } = await this.#database.query<ActivityCount & { total: number; since: number | null }>({
      name: '', // the primary key of each partition, newest first. Without a name: the text varies.
      text: `WITH entries AS (
               SELECT * FROM (${logs.map((log) => `(${log} ORDER BY at DESC LIMIT ${MOST})`).join(' UNION ALL ')}) e
                ORDER BY at DESC LIMIT ${MOST}),
             counted AS (SELECT count(*)::integer AS total, extract(epoch FROM min(at))::integer AS since FROM entries)
             SELECT (floor(extract(epoch FROM at) / $2) * $2)::integer AS at,
                    count(*) FILTER (WHERE succeeded AND NOT is_sign_out)::integer AS "signIns",
                    count(*) FILTER (WHERE NOT succeeded)::integer AS refused,
                    count(*) FILTER (WHERE is_sign_out)::integer AS "signOuts", total, since
               FROM entries CROSS JOIN counted
              GROUP BY 1, total, since ORDER BY 1`,
      values: [from, stepSeconds, organizationId ?? null, seen?.organizationIds ?? null],
    })
    const [first] = rows
    return {
      counts: rows.map(({ at, signIns, refused, signOuts }) => ({ at, signIns, refused, signOuts })),
      since: first !== undefined && first.total >= MOST ? (first.since ?? undefined) : undefined,
    }
  }
}

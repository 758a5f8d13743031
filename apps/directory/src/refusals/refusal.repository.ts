// Stores the newest refusals of each client, and reads them within the reach of a caller.
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { AuditPosition } from '../audit/audit-entry.ts'
import { auditTable } from '../audit/audit-table.ts'
import type { NewRefusal, RefusalFilter, RefusalReach, StoredRefusal } from './refusal.ts'

/** The newest refusals that are kept of one client. */
export const MOST_OF_CLIENT = 100
/** An audit log gets one entry of a person, a client and a reason in so long. */
const AUDIT_INTERVAL = '1 minute'

interface StoredRow {
  readonly refusalId: string
  readonly clientId: string
  readonly userId: string | null
  readonly userOrganizationId: string | null
}

interface ReadRow extends Omit<StoredRefusal, 'organizationId' | 'values'> {
  readonly microseconds: number
  readonly organizationId: string
  readonly values: Readonly<Record<string, string>>
  readonly readsApplication: boolean
  readonly readsPerson: boolean
  readonly readsProvider: boolean
}

/** A refusal with its place in the list. */
export interface FoundRefusal {
  readonly refusal: StoredRefusal
  readonly position: AuditPosition
}

/** Writers of all replicas follow one another, so that exactly the newest `MOST_OF_CLIENT` of a client remain. */
export class RefusalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Stores refusals of clients that exist, each id once. A refusal of a known person that `isAudited` does not name gets an
   * entry `authorization` in the audit log.
   */
  async record(refusals: readonly NewRefusal[]): Promise<void> {
    if (refusals.length === 0) return
    const rows = JSON.stringify(refusals.map(toRow))
    const clientIds = [...new Set(refusals.map(({ refusal }) => refusal.clientId))]
    await this.#database.transaction(async (tx) => {
      await tx.query({
        name: 'refusal.lock',
        text: 'SELECT pg_advisory_xact_lock($1)',
        values: [ADVISORY_LOCKS.refusals],
      })
      const stored = await insert(tx, rows)
      await auditTable.record(tx, ...(await this.#events(tx, refusals, stored)))
      await tx.commit({
        name: 'refusal.keep_newest', // refusal_client
        text: `DELETE FROM directory.refusal r
                USING (SELECT refusal_id, row_number() OVER (PARTITION BY client_id ORDER BY at DESC, refusal_id DESC) AS place
                         FROM directory.refusal WHERE client_id = ANY ($1)) o
                WHERE r.refusal_id = o.refusal_id AND o.place > $2`,
        values: [clientIds, MOST_OF_CLIENT],
      })
    })
  }

  /** The entries of the audit log for stored refusals, without those that it got a moment before. */
  async #events(
    tx: Queryable,
    refusals: readonly NewRefusal[],
    stored: readonly StoredRow[],
  ): Promise<readonly AuditEvent[]> {
    const byId = new Map(refusals.map((event) => [event.id, event.refusal]))
    const audited = stored.flatMap((row) => {
      const refusal = byId.get(row.refusalId)
      const { userId, userOrganizationId } = row
      if (refusal === undefined || userId === null || userOrganizationId === null) return []
      if (refusal.result === 'changed' || refusal.isAudited) return []
      return [{ refusal, userId, userOrganizationId, key: [userId, row.clientId, refusal.reason].join(' ') }]
    })
    if (audited.length === 0) return []
    const { rows } = await tx.query<{ key: string }>({
      name: 'refusal.audited', // audit_event_actor
      text: `SELECT concat_ws(' ', actor_id, details ->> 'client_id', details ->> 'reason') AS key
               FROM directory_audit.audit_event
              WHERE actor_id = ANY ($1) AND action = 'authorization' AND at > now() - interval '${AUDIT_INTERVAL}'`,
      values: [[...new Set(audited.map(({ userId }) => userId))]],
    })
    const known = new Set(rows.map(({ key }) => key))
    return audited.flatMap(({ refusal, userId, userOrganizationId, key }): AuditEvent[] => {
      if (known.has(key)) return []
      known.add(key)
      const { clientId, requestId, reason, clientAddress } = refusal
      return [
        {
          actor: { kind: 'human', id: userId },
          action: 'authorization',
          target: { kind: 'user', id: userId },
          organizationId: userOrganizationId,
          clientAddress,
          result: 'refused',
          details: { reason, client_id: clientId, request_id: requestId },
        },
      ]
    })
  }

  /**
   * The newest refusals within a reach, after a position. Those of a named person are for readers of that person alone, and those of
   * a named identity provider for its readers.
   */
  async newest(
    filter: RefusalFilter,
    reach: RefusalReach,
    {
      after,
      since,
      limit,
    }: { readonly after: AuditPosition | undefined; readonly since: Date; readonly limit: number },
  ): Promise<readonly FoundRefusal[]> {
    const { rows } = await this.#database.query<ReadRow>({
      // refusal_request, refusal_client, refusal_user, refusal_provider, or refusal_at. Without a name: the plan depends on the filter.
      name: '',
      text: `SELECT * FROM (
               SELECT refusal_id AS id, at, (extract(epoch FROM at) * 1000000)::bigint AS microseconds,
                      request_id AS "requestId", service, result, reason, client_id AS "clientId",
                      application_id AS "applicationId", organization_id AS "organizationId", user_id AS "userId",
                      client_address AS "clientAddress", details AS "values",
                      $4 OR organization_id = ANY ($5) OR project_id = ANY ($6) AS "readsApplication",
                      $4 OR user_organization_id = ANY ($7) AS "readsPerson",
                      $4 OR provider_organization_id = ANY ($5) AS "readsProvider"
                 FROM directory.refusal
                WHERE at > $2
                  AND ($3::bigint IS NULL OR (at, refusal_id) <
                       (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $8::uuid))
                  AND ($9::text IS NULL OR request_id = $9)
                  AND ($10::text IS NULL OR client_id = $10
                       OR client_id = (SELECT client_id FROM directory.application WHERE application_id = $10))
                  AND ($11::text IS NULL OR user_id = $11)
                  AND ($12::text IS NULL OR provider_id = $12)) f
              WHERE CASE WHEN $11::text IS NOT NULL THEN "readsPerson"
                         WHEN $12::text IS NOT NULL THEN "readsProvider"
                         ELSE "readsPerson" OR "readsApplication" OR "readsProvider" END
              ORDER BY at DESC, id DESC LIMIT $1`,
      values: [
        ...[limit, since, after?.microseconds ?? null],
        ...[reach.isInstanceReader, reach.ofApplications, reach.ofProjects, reach.ofPeople],
        ...[after?.id ?? null, filter.requestId ?? null, filter.application ?? null, filter.user ?? null],
        filter.provider ?? null,
      ],
    })
    return rows.map((row) => ({
      refusal: toRefusal(row),
      position: { microseconds: row.microseconds, id: row.id },
    }))
  }

  /** The stored hints with some reasons about one application, newest first. Each owner of a client id has its own. */
  async hintsOf(
    { applicationId, clientId }: { readonly applicationId: string; readonly clientId: string },
    reasons: readonly string[],
  ): Promise<readonly Pick<StoredRefusal, 'reason' | 'at' | 'values'>[]> {
    const { rows } = await this.#database.query<Pick<StoredRefusal, 'reason' | 'at' | 'values'>>({
      name: 'refusal.hints', // refusal_client
      text: `SELECT reason, at, details AS values FROM directory.refusal
              WHERE client_id = $1 AND application_id = $2 AND result = 'changed' AND reason = ANY ($3)
              ORDER BY at DESC`,
      values: [clientId, applicationId, reasons],
    })
    return rows
  }

  async deleteBefore(time: Date): Promise<void> {
    await this.#database.query({
      name: 'refusal.delete_old', // refusal_at
      text: 'DELETE FROM directory.refusal WHERE at < $1',
      values: [time],
    })
  }
}

const toRow = ({ id, at, service, refusal }: NewRefusal) => ({
  ...{ id, at, service },
  request_id: refusal.requestId,
  result: refusal.result,
  reason: refusal.reason,
  client_id: refusal.clientId,
  user_id: refusal.userId,
  client_address: refusal.clientAddress,
  details: refusal.values,
})

/** Stores the rows of clients that exist. A changed request takes the place of an equal one before. */
async function insert(tx: Queryable, rows: string): Promise<readonly StoredRow[]> {
  const given = `jsonb_to_recordset($1::jsonb) AS g (id uuid, at timestamptz, service text, request_id text, result text,
                   reason text, client_id text, user_id text, client_address text, details jsonb)`
  await tx.query({
    name: 'refusal.replace_changed', // refusal_client
    text: `DELETE FROM directory.refusal r USING ${given}
            WHERE r.client_id = g.client_id AND r.result = 'changed' AND g.result = 'changed'
              AND r.reason = g.reason AND r.details = g.details`,
    values: [rows],
  })
  const { rows: stored } = await tx.query<StoredRow>({
    name: 'refusal.add', // application_client_id_key, service_user_client_id_key, primary keys; of a registration its initial access token
    text: `INSERT INTO directory.refusal (refusal_id, at, request_id, service, result, reason, client_id, application_id,
                                          project_id, organization_id, user_id, user_organization_id, client_address, details,
                                          provider_id, provider_organization_id)
           SELECT g.id, g.at, g.request_id, g.service, g.result, g.reason, g.client_id, c.application_id, c.project_id,
                  c.organization_id, u.user_id, u.organization_id, g.client_address, g.details,
                  i.provider_id, i.organization_id
             FROM ${given}
             JOIN LATERAL (
               SELECT a.application_id, a.project_id, p.organization_id, NULL::text AS user_id
                 FROM directory.application a JOIN directory.project p USING (project_id) WHERE a.client_id = g.client_id
                UNION ALL
               SELECT NULL, NULL, o.organization_id, s.user_id
                 FROM directory.service_user s JOIN directory.account o USING (user_id) WHERE s.client_id = g.client_id
                UNION ALL
               SELECT NULL, t.project_id, p.organization_id, NULL
                 FROM directory.registration_token t JOIN directory.project p USING (project_id)
                WHERE t.token_id = g.client_id AND g.service = 'directory'
                LIMIT 1) c ON true
             LEFT JOIN directory.account u ON u.user_id = coalesce(g.user_id, c.user_id)
             LEFT JOIN directory.identity_provider i ON i.provider_id = g.details ->> 'provider'
           ON CONFLICT (refusal_id) DO NOTHING
           RETURNING refusal_id AS "refusalId", client_id AS "clientId", user_id AS "userId",
                     user_organization_id AS "userOrganizationId"`,
    values: [rows],
  })
  return stored
}

/** Values that an identity provider sent, or that it is set up with. */
const OF_PROVIDER: ReadonlySet<string> = new Set(['sent', 'expected'])

/**
 * A refusal as its reader may see it: values belong to the people of the application and of the identity provider, what a provider
 * sent to the latter alone, the person and the address to the people of the organization of the person.
 */
function toRefusal({ microseconds: _, ...read }: ReadRow): StoredRefusal {
  const { readsApplication, readsPerson, readsProvider, ...row } = read
  const { id, at, requestId, service, result, reason, clientId, organizationId, values } = row
  return {
    ...{ id, at, requestId, service, result, reason, clientId },
    applicationId: row.applicationId ?? undefined,
    ...(readsApplication && { organizationId }),
    ...(readsPerson && { userId: row.userId ?? undefined, clientAddress: row.clientAddress ?? undefined }),
    values: readsProvider ? values : readsApplication ? withoutSent(values) : {},
  }
}

const withoutSent = (values: StoredRefusal['values']) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !OF_PROVIDER.has(name)))

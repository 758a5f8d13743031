import { shapeOf } from '@signet/file-formats/export/lists'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { ORG_MEMBERS, ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { auditTable } from '../audit/audit-table.ts'
import { openCarried } from '../carried/carried.repository.ts'
import { columnNames, createExport } from '../database/field-columns.ts'
import { useIndexes } from '../database/import-table.repository.ts'
import { POLICY_KINDS } from '../organizations/policy-rules.ts'
import type { ExportContent, ExportOrder, ExportPart, ExportSource } from './export-organizations.ts'
import { EXPORTED_LISTS, type ExportChoices } from './exported-lists.repository.ts'
import { timestamp, withoutZeros } from './exported-records.ts'

const MOST_RECORDS = 500
const PART_BYTES = 1_048_576

const exportOrganization = createExport(ORG_MEMBERS)

export function postgresExportSource(database: Database, masterKeys: readonly Buffer[]): ExportSource {
  return {
    snapshot: (work) =>
      database.transaction(work, { isolation: 'repeatable read', readOnly: true, kind: 'long' }),
    record: (event) => auditTable.record(database, event),
    plan,
    organizations: (tx, order) => organizationIds(tx, order),
    contents: (tx, ids, choices) => contentsOf(tx, ids, { ...choices, masterKeys }),
  }
}

async function organizationIds(tx: Queryable, { organizationIds, excludedIds }: ExportOrder) {
  const { rows } = await tx.query<{ organization_id: string }>({
    name: 'transfer.export.organizations', // a scan: all of them are wanted
    text: `SELECT organization_id FROM directory.organization
            WHERE state <> 'deleting' AND (cardinality($1::text[]) = 0 OR organization_id = ANY ($1)) AND organization_id <> ALL ($2::text[])
            ORDER BY created_at, organization_id`,
    values: [organizationIds, excludedIds],
  })
  return rows.map(({ organization_id }) => organization_id)
}

async function plan(tx: Queryable, ids: readonly string[]) {
  const { rows } = await tx.query<Awaited<ReturnType<ExportSource['plan']>>>({
    // account_organization, project_organization, application_project, member_organization, member_project, primary keys
    name: 'transfer.export.plan',
    text: `SELECT (SELECT count(*) FROM directory.account WHERE organization_id = ANY ($1::text[])) AS users,
                  ARRAY(SELECT m.user_id || ' ' || m.role FROM directory.member m JOIN directory.account a USING (user_id)
                         WHERE m.level = 'instance' AND a.organization_id = ANY ($1) ORDER BY 1) AS administrators,
                  (SELECT count(*)::int FROM directory.account a JOIN directory.machine_key k USING (user_id)
                    WHERE a.organization_id = ANY ($1))
                  + (SELECT count(*)::int FROM directory.project p JOIN directory.application a USING (project_id)
                       JOIN directory.application_key k USING (application_id)
                      WHERE p.organization_id = ANY ($1)) AS keys,
                  (SELECT count(*)::int FROM directory.carried_record
                    WHERE organization_id = ANY ($1) AND list = 'jwtIdps')
                  + (SELECT count(*)::int FROM directory.identity_provider
                      WHERE organization_id = ANY ($1) AND sealed_secret IS NOT NULL)
                  + (SELECT count(*)::int FROM directory.carried_record c
                      WHERE c.organization_id = ANY ($1) AND c.list = 'oidcIdps'
                        AND NOT EXISTS (SELECT FROM directory.identity_provider i WHERE i.provider_id = c.record_key)) AS "identityProviders",
                  (SELECT count(*)::int FROM directory.account a JOIN directory.passkey k USING (user_id)
                    WHERE a.organization_id = ANY ($1)) AS passkeys,
                  (SELECT count(*)::int FROM directory.account a JOIN directory.personal_access_token t USING (user_id)
                    WHERE a.organization_id = ANY ($1)) AS tokens,
                  (SELECT count(*)::int FROM directory.member
                    WHERE level = 'organization' AND organization_id = ANY ($1) AND NOT accepted)
                  + (SELECT count(*)::int FROM directory.project p JOIN directory.member m
                       ON m.level = 'project' AND m.project_id = p.project_id AND NOT m.accepted
                      WHERE p.organization_id = ANY ($1))
                  + (SELECT count(*)::int FROM directory.project p JOIN directory.project_grant g USING (project_id)
                      WHERE p.organization_id = ANY ($1) AND NOT g.accepted) AS unaccepted`,
    values: [ids],
  })
  return (
    rows[0] ?? {
      users: 0,
      administrators: [],
      keys: 0,
      passkeys: 0,
      identityProviders: 0,
      tokens: 0,
      unaccepted: 0,
    }
  )
}

interface ContentChoices extends ExportChoices {
  readonly masterKeys: readonly Buffer[]
}

/**
 * Reads each list of all organizations through one cursor: a query for each organization and list would take longer than
 * its records where organizations are small. Holds at most 500 rows of a list.
 */
async function* contentsOf(
  tx: Queryable,
  ids: readonly string[],
  choices: ContentChoices,
): AsyncIterable<ExportContent> {
  if (ids.length === 0) return
  // Sequential scans would be repeated for each organization.
  await useIndexes(tx)
  const open = (name: string, text: string) => openCursor(tx, { name: `export_${name}`, text, ids })
  const headers = await open('organization', ORGANIZATION)
  const lists = []
  const carried = await carriedLists(tx, ids)
  for (const { list, text, record } of EXPORTED_LISTS) {
    if (shapeOf(list).carried && !carried.has(list)) continue
    lists.push({ list, record, cursor: await open(list, text(choices)) })
  }
  for (const [at, organizationId] of ids.entries()) {
    let header: OrganizationRow | undefined
    for await (const [row] of headers.rowsOf(at)) header = row as unknown as OrganizationRow
    if (header === undefined) throw new Error(`organization ${organizationId} is not in its own snapshot`)
    yield { organization: organizationHeader(header, choices.masterKeys) }
    const surroundings = { ...choices, organizationId }
    for (const { list, record, cursor } of lists) {
      if (cursor.isBehind(at)) continue
      for await (const rows of cursor.rowsOf(at)) {
        const records = rows.flatMap((row) => {
          const exported = record(row as never, surroundings)
          return exported === undefined ? [] : [JSON.stringify(exported)]
        })
        for (const part of partsOf(list, records)) yield { part }
      }
    }
  }
}

/** The carried lists that any of the organizations has. More than half of all lists are carried, and few have records. */
async function carriedLists(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ list: string }>({
    name: 'transfer.export.carried_lists', // primary key
    text: `SELECT DISTINCT c.list FROM unnest($1::text[]) AS o (id)
             JOIN directory.carried_record c ON c.organization_id = o.id AND c.list = ANY ($2::text[])`,
    values: [ids, EXPORTED_LISTS.flatMap(({ list }) => (shapeOf(list).carried ? [list] : []))],
  })
  return new Set(rows.map(({ list }) => list))
}

interface PlacedRow {
  readonly export_place: number
}

/** Reads rows of organizations in the order of their ids. `text` reads those of the organization o.id, sorted. */
async function openCursor(
  tx: Queryable,
  { name, text, ids }: { readonly name: string; readonly text: string; readonly ids: readonly string[] },
) {
  let rows: readonly PlacedRow[] = []
  let next = 0
  let isRead = false
  // PostgreSQL knows that the ids come in the order of their places, so it sorts nothing but the rows of one organization.
  await tx.query({
    name: '',
    text: `DECLARE ${name} NO SCROLL CURSOR FOR
           SELECT o.place - 1 AS export_place, x.* FROM unnest($1::text[]) WITH ORDINALITY AS o (id, place)
            CROSS JOIN LATERAL (${text}) x ORDER BY o.place`,
    values: [ids],
  })

  async function fetch(): Promise<void> {
    const fetched = await tx.query<PlacedRow>({ name: '', text: `FETCH ${MOST_RECORDS} FROM ${name}` })
    rows = fetched.rows
    next = 0
    isRead = rows.length < MOST_RECORDS
    if (isRead) await tx.query({ name: '', text: `CLOSE ${name}` })
  }

  return {
    /** Whether it is known that the organization at this place has no rows that are still to be read. */
    isBehind(place: number): boolean {
      const row = rows[next]
      return row === undefined ? isRead : row.export_place > place
    },
    /** The rows of the organization at this place that are still to be read, in groups. */
    async *rowsOf(place: number): AsyncIterable<readonly PlacedRow[]> {
      for (;;) {
        if (next === rows.length && !isRead) await fetch()
        const from = next
        while (rows[next]?.export_place === place) next += 1
        if (next > from) yield rows.slice(from, next)
        if (next < rows.length || isRead) return
      }
    },
  }
}

function* partsOf(list: string, records: readonly string[]): Iterable<ExportPart> {
  let from = 0
  let bytes = 0
  for (const [index, record] of records.entries()) {
    bytes += record.length
    if (bytes < PART_BYTES && index < records.length - 1) continue
    yield { list, count: index + 1 - from, records: Buffer.from(records.slice(from, index + 1).join(',')) }
    from = index + 1
    bytes = 0
  }
}

/** The fields of an organization itself, by the row of `ORGANIZATION`. */
interface OrganizationRow {
  readonly organization_id: string
  readonly state: string
  readonly primary_domain: string
  readonly created_at: Date
  readonly policies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly domains: readonly { readonly domain: string; readonly is_verified: boolean }[]
  readonly list: string | null
  readonly record_key: string | null
  readonly sealed_record: Buffer | null
}

/** o.id is the organization. */
const ORGANIZATION = `
  SELECT g.organization_id, ${columnNames(ORGANIZATION_FIELDS)
    .map((column) => `g.${column}`)
    .join(', ')}, g.state, g.created_at,
         coalesce((SELECT jsonb_object_agg(p.kind, p.document) FROM directory.organization_policy p
                    WHERE p.organization_id = g.organization_id), '{}') AS policies,
         (SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'is_verified', d.is_verified) ORDER BY d.domain)
            FROM directory.organization_domain d WHERE d.organization_id = g.organization_id) AS domains,
         c.list, c.record_key, c.sealed_record
    FROM directory.organization g
    LEFT JOIN directory.carried_record c ON c.organization_id = g.organization_id
                                        AND c.list = 'organization' AND c.record_key = g.organization_id
   WHERE g.organization_id = o.id` // primary keys

/** An organization as the document has it, without its lists. */
function organizationHeader(row: OrganizationRow, masterKeys: readonly Buffer[]) {
  const { organization_id: orgId, list, record_key, sealed_record } = row
  const carried =
    list === null || record_key === null || sealed_record === null
      ? {}
      : openCarried(masterKeys, orgId, { list, record_key, sealed_record })
  const validationTypes = (carried.validationTypes ?? {}) as Readonly<Record<string, string>>
  const policies = Object.entries(POLICY_KINDS)
    .sort()
    .flatMap(([member, kind]) => {
      const document = row.policies[kind]
      return document === undefined ? [] : [[member, policyMembers(member, document, orgId)] as const]
    })
  return {
    orgId,
    org: withoutZeros(exportOrganization(row)),
    ...Object.fromEntries(policies),
    domains: row.domains.map(({ domain, is_verified }) =>
      withoutZeros({
        orgId,
        domainName: domain,
        isVerified: is_verified,
        isPrimary: domain === row.primary_domain,
        validationType: validationTypes[domain],
      }),
    ),
    orgState: row.state === 'inactive' ? 'ORG_STATE_INACTIVE' : 'ORG_STATE_ACTIVE',
    creationDate: timestamp(row.created_at),
  }
}

/** Stored policies leave these out with another default than the format, which leaves out zeros. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domainPolicy: { userLoginMustBeDomain: true },
  loginPolicy: { allowUsernamePassword: true, passwordlessType: 'PASSWORDLESS_TYPE_ALLOWED' },
  lockoutPolicy: { maxPasswordAttempts: 5, maxOtpAttempts: 5 },
}

/** Zeros are written: a reader cannot take them for a default. protojson writes 64-bit integers as strings. */
function policyMembers(member: string, document: Readonly<Record<string, unknown>>, orgId: string) {
  const { minLength, ...others } = document
  return {
    ...(member === 'domainPolicy' && { orgId }),
    ...(minLength !== undefined && { minLength: String(minLength) }),
    ...DEFAULTS[member],
    ...others,
  }
}

import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { ExportOrder, ExportPart, ExportSource } from '../transfer/export-organizations.ts'
import { withoutZeros } from '../transfer/exported-records.ts'
import { POLICY_KINDS } from '../transfer/organization-rows.ts'
import { trail } from './audit-trail.ts'
import { openCarried } from './transfer-carried.ts'
import { EXPORTED_LISTS, type ExportedList, type ExportSurroundings } from './transfer-export-lists.ts'

const MOST_RECORDS = 500
const PART_BYTES = 1_048_576

interface OrganizationRow {
  readonly organization_id: string
  readonly name: string
  readonly state: string
  readonly primary_domain: string
  readonly policies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly domains: readonly { readonly domain: string; readonly is_verified: boolean }[]
  readonly list: string | null
  readonly record_key: string | null
  readonly sealed_record: Buffer | null
}

export function postgresExportSource(database: Database, masterKeys: readonly Buffer[]): ExportSource {
  return {
    snapshot: (work) =>
      database.transaction(work, { isolation: 'repeatable read', readOnly: true, kind: 'long' }),
    record: (event) => trail.record(database, event),
    plan,
    organizations: (tx, order) => organizationIds(tx, order),
    async organization(tx, organizationId) {
      const { rows } = await tx.query<OrganizationRow>({
        name: 'transfer.export.organization', // primary keys
        text: `SELECT o.organization_id, o.name, o.state, o.primary_domain,
                      coalesce((SELECT jsonb_object_agg(p.kind, p.document) FROM directory.organization_policy p
                                 WHERE p.organization_id = o.organization_id), '{}') AS policies,
                      (SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'is_verified', d.is_verified) ORDER BY d.domain)
                         FROM directory.organization_domain d WHERE d.organization_id = o.organization_id) AS domains,
                      c.list, c.record_key, c.sealed_record
                 FROM directory.organization o
                 LEFT JOIN directory.carried_record c ON c.organization_id = o.organization_id
                                                     AND c.list = 'organization' AND c.record_key = o.organization_id
                WHERE o.organization_id = $1`,
        values: [organizationId],
      })
      const [row] = rows
      if (row === undefined) throw new Error(`organization ${organizationId} is not in its own snapshot`)
      return headerOf(row, masterKeys)
    },
    async *records(tx, organizationId, choices) {
      for (const exported of EXPORTED_LISTS) {
        yield* partsOf(tx, exported, { ...choices, organizationId, masterKeys })
      }
    },
  }
}

async function organizationIds(tx: Queryable, { organizationIds, excludedIds }: ExportOrder) {
  const { rows } = await tx.query<{ organization_id: string }>({
    name: 'transfer.export.organizations', // a scan: all of them are wanted
    text: `SELECT organization_id FROM directory.organization
            WHERE (cardinality($1::text[]) = 0 OR organization_id = ANY ($1)) AND organization_id <> ALL ($2::text[])
            ORDER BY created_at, organization_id`,
    values: [organizationIds, excludedIds],
  })
  return rows.map(({ organization_id }) => organization_id)
}

async function plan(tx: Queryable, ids: readonly string[]) {
  const { rows } = await tx.query<Awaited<ReturnType<ExportSource['plan']>>>({
    name: 'transfer.export.plan', // account_organization, project_organization, application_project, primary keys
    text: `SELECT (SELECT count(*) FROM directory.account WHERE organization_id = ANY ($1::text[])) AS users,
                  ARRAY(SELECT user_id || ' ' || role FROM directory.member WHERE level = 'instance' ORDER BY 1) AS administrators,
                  (SELECT count(*)::int FROM directory.account a JOIN directory.machine_key k USING (user_id)
                    WHERE a.organization_id = ANY ($1))
                  + (SELECT count(*)::int FROM directory.project p JOIN directory.application a USING (project_id)
                       JOIN directory.application_key k USING (application_id)
                      WHERE p.organization_id = ANY ($1)) AS keys,
                  (SELECT count(*)::int FROM directory.carried_record
                    WHERE organization_id = ANY ($1) AND list IN ('oidcIdps', 'jwtIdps')) AS "identityProviders"`,
    values: [ids],
  })
  return rows[0] ?? { users: 0, administrators: [], keys: 0, identityProviders: 0 }
}

function headerOf(row: OrganizationRow, masterKeys: readonly Buffer[]) {
  const { organization_id: orgId, list, record_key, sealed_record } = row
  const carried =
    list === null || record_key === null || sealed_record === null
      ? {}
      : openCarried(masterKeys, orgId, { list, record_key, sealed_record })
  const validationTypes = (carried.validationTypes ?? {}) as Readonly<Record<string, string>>
  const policies = Object.entries(POLICY_KINDS).flatMap(([member, kind]) => {
    const document = row.policies[kind]
    return document === undefined ? [] : [[member, policyMembers(member, document, orgId)] as const]
  })
  return {
    orgId,
    org: { name: row.name },
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
  }
}

/** Stored policies leave these out with another default than the format, which leaves out zeros. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domainPolicy: { userLoginMustBeDomain: true },
  loginPolicy: { allowUsernamePassword: true },
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

/** Reads a list through a cursor, so that neither side holds more than one message of it. */
async function* partsOf(
  tx: Queryable,
  { list, text, record }: ExportedList,
  surroundings: ExportSurroundings,
): AsyncIterable<ExportPart> {
  await tx.query({
    name: '',
    text: `DECLARE export_cursor NO SCROLL CURSOR FOR ${text(surroundings)}`,
    values: [surroundings.organizationId],
  })
  for (;;) {
    const { rows } = await tx.query({
      name: 'transfer.export.fetch',
      text: `FETCH ${MOST_RECORDS} FROM export_cursor`,
    })
    yield* joined(
      list,
      rows.map((row) => JSON.stringify(record(row as never, surroundings))),
    )
    if (rows.length < MOST_RECORDS) break
  }
  await tx.query({ name: 'transfer.export.close', text: 'CLOSE export_cursor' })
}

function* joined(list: string, records: readonly string[]): Iterable<ExportPart> {
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

import { readFileSync } from 'node:fs'
import type { Database } from '@signet/platform/postgres/pool'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type ExportedDocument,
  type MigrationClient,
  migrationSystem,
  withoutMarks,
} from '../migration-client.ts'
import { generatedOrganizations } from './generated-organizations.ts'
import { generatedSections } from './generated-sections.ts'

type Json = Record<string, unknown>

/** Members of a bootstrap file that do not travel. */
const STAYS = /personalAccessTokens|identityProviders/

const organizations = generatedOrganizations()

let source: MigrationClient
let target: MigrationClient
beforeAll(async () => {
  // Generated policies may be as lenient as the format allows.
  const settings = { passwordMinLength: 1, maxPasswordAttempts: 0, maxOtpAttempts: 0 }
  const systems = await Promise.all([
    startSystem(migrationSystem({ organizations: [...organizations], settings })),
    startSystem(migrationSystem({ settings: { signingAlgorithms: ['RS256', 'ES256', 'EdDSA'] } })),
  ])
  ;[source, target] = [createMigrationClient(systems[0]), createMigrationClient(systems[1])]
}, 300_000)
afterAll(() => Promise.all([source?.system.stop(), target?.system.stop()]))

describe('Signet reads back every field it writes', () => {
  const ids = organizations.map(({ id = '' }) => id)

  it('the generated documents use every member of the bootstrap schema', () => {
    const schema = new URL('../../../../apps/directory/bootstrap.schema.json', import.meta.url)
    const used = new Set(usedMembers(organizations))
    const known = knownMembers(JSON.parse(readFileSync(schema, 'utf8')).properties.organizations)
    expect(known.filter((path) => !used.has(path) && !STAYS.test(path))).toEqual([])
  })

  it('generated organizations are equal after import and export', async () => {
    const document = await source.export({ org_ids: ids })
    generatedSections().forEach((sectionsOf, at) => {
      const organization = document.orgs.find(({ orgId }) => orgId === ids[at]) ?? {}
      const [user] = (organization.humanUsers ?? []) as { userId: string }[]
      for (const [list, records] of Object.entries(sectionsOf(ids[at] ?? '', user?.userId))) {
        if (Array.isArray(records) && records.length > 0) organization[list] = records
      }
    })
    const given = JSON.parse(JSON.stringify({ orgs: document.orgs })) as ExportedDocument
    const { status, body } = await target.import(given)
    expect([status, body.errors, body.message]).toEqual([200, undefined, undefined])
    const moved = await target.export({ org_ids: ids })
    expect(moved.orgs).toHaveLength(ids.length)
    for (const organization of given.orgs) {
      const found = moved.orgs.find(({ orgId }) => orgId === organization.orgId) ?? {}
      expect(inOrder(found)).toEqual(inOrder(withoutMarks(organization)))
    }
    const planned = await target.import(given, { dry_run: true, on_conflict: 'update' })
    const report = await target.call('GET', `/jobs/${planned.body.plan?.id}/report`)
    const lines = (await report.text()).split('\n').filter((line) => line.includes('"action"'))
    expect(lines.length).toBeGreaterThan(organizations.length)
    expect(lines.filter((line) => !line.includes('"action":"update","fields":[]'))).toEqual([])
    // Also the rows that neither export might contain.
    expect(await storedRows(target.system.database)).toEqual(await storedRows(source.system.database))
  }, 300_000)
})

/** Lists may come out in another order. */
function inOrder(organization: Json): Json {
  const members = Object.entries(organization).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted((one, other) => (written(one) < written(other) ? -1 : 1)) : value,
  ])
  return Object.fromEntries(members)
}

const written = (record: unknown): string =>
  JSON.stringify(record, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Every member that a JSON schema has, as paths such as `users.profile.givenName`. */
function knownMembers({ properties = {}, items, anyOf = [] }: JsonSchema, path = ''): readonly string[] {
  const below = [...(items ? [items] : []), ...anyOf].flatMap((schema) => knownMembers(schema, path))
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const member = path === '' ? name : `${path}.${name}`
    return [member, ...knownMembers(schema, member)]
  })
  return [...new Set([...below, ...own])]
}

/** The members that a value has, as the same paths. */
function usedMembers(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((element) => usedMembers(element, path))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPath = path === '' ? name : `${path}.${name}`
    return member === undefined ? [] : [memberPath, ...usedMembers(member, memberPath)]
  })
}

/** Every table that an export reads; keys of service users and applications stay where they are. */
const TABLES = [
  'account',
  'account_password',
  'application',
  'application_issuer_trust',
  'application_secret',
  'issuer_trust',
  'member',
  'organization',
  'organization_domain',
  'organization_policy',
  'project',
  'project_role',
  'service_user',
  'service_user_secret',
  'user_grant',
  'user_grant_role',
  'user_metadata',
] as const

/** The columns that belong to one instance: times, counters, sealed values, marks of an IAM_OWNER. */
const OWN = [
  'may_call_api',
  'first_party',
  'created_at',
  'updated_at',
  'changed_at',
  'token_epoch',
  'secret_id',
  'imported_at',
  'import_job_id',
]

/** The meaning of a missing member of a stored policy; an import stores the member. */
const LEFT_OUT: Readonly<Record<string, object>> = {
  domain: { userLoginMustBeDomain: true },
  lockout: { maxPasswordAttempts: 5, maxOtpAttempts: 5 },
  login: { allowUsernamePassword: true, passwordlessType: 'PASSWORDLESS_TYPE_ALLOWED' },
}

/** The rows of generated organizations in a directory, table by table. */
async function storedRows(database: Database): Promise<Record<string, readonly object[]>> {
  const stored: Record<string, readonly object[]> = {}
  for (const table of TABLES) {
    const text = `SELECT to_jsonb(t) - $1::text[] AS row FROM directory.${table} t WHERE to_jsonb(t)::text LIKE '%"generated-%'
                   ORDER BY (to_jsonb(t) - $1::text[])::text`
    const { rows } = await database.query<{ row: object }>({ name: '', text, values: [OWN] })
    stored[table] = rows.map(({ row }) => row)
  }
  const { organization_policy: policies = [] } = stored
  const told = (policies as { organization_id: string; kind: string; document: object }[]).map((row) => ({
    ...row,
    document: { ...LEFT_OUT[row.kind], ...row.document },
  }))
  const key = (row: (typeof told)[number]) => `${row.organization_id} ${row.kind}`
  return { ...stored, organization_policy: told.sort((one, other) => (key(one) < key(other) ? -1 : 1)) }
}

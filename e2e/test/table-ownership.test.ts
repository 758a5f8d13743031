import { migrations as directoryMigrations } from '@signet/directory/migrations'
import { migrations as federationMigrations } from '@signet/federation/migrations'
import { migrations as keysMigrations } from '@signet/keys/migrations'
import { migrations as migrationMigrations } from '@signet/migration/migrations'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import {
  AUDIT_SCHEMAS,
  DATABASE_ROLES,
  type DatabaseRole,
  SERVICE_SCHEMAS,
} from '@signet/platform/postgres/roles'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { migrations as tokenMigrations } from '@signet/token/migrations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The views that each role may read (docs/spec 2.1). Access to all other tables of other services is refused. */
const PUBLISHED_DIRECTORY = [
  'directory_read.account_claims_v1',
  'directory_read.change_v1',
  'directory_read.client_v1',
  'directory_read.feature_v1',
  'directory_read.organization_v1',
  'directory_read.project_v1',
  'directory_read.setting_v1',
  'directory_read.user_grant_v1',
]
const audited = (...tables: readonly string[]) =>
  AUDIT_SCHEMAS.flatMap((schema) => tables.map((table) => `${schema}.${table}`))
/** The audit log that each role adds rows to. */
const ADDS_TO: Readonly<Partial<Record<DatabaseRole, string>>> = {
  signet_directory: 'directory_audit.audit_event',
  signet_token: 'grants_audit.audit_event',
  signet_keys: 'keys_audit.audit_event',
  signet_migration: 'migration_audit.audit_event',
}
const MAY_READ: Readonly<Record<DatabaseRole, readonly string[]>> = {
  signet_directory: [
    ...audited('audit_event', 'head', 'segment', 'unsealed'),
    ...['grants_read', 'keys_read', 'migration_read'].map((schema) => `${schema}.audit_event_v1`),
    'grants_read.generation_v1',
    'grants_read.requested_audience_v1',
    'grants_read.revocation_v1',
  ],
  signet_token: [
    'grants_audit.audit_event',
    ...PUBLISHED_DIRECTORY,
    'directory_read.account_life_v1',
    'directory_read.authorization_detail_type_v1',
    'directory_read.client_life_v1',
    'directory_read.client_logout_v1',
    'directory_read.ending_change_v1',
    'directory_read.issuer_trust_v1',
    'directory_read.machine_key_v1',
    'directory_read.service_user_v1',
    'directory_read.member_v1',
    'directory_read.personal_access_token_v1',
    'directory_read.project_grant_v1',
    'directory_read.provider_assertion_v1',
    'directory_read.provider_link_v1',
  ],
  signet_keys: [
    ...audited('head', 'segment', 'unsealed'),
    'directory_read.setting_v1',
    'directory_read.signing_algorithm_v1',
    'grants_read.generation_v1',
    'grants_read.revocation_v1',
    'keys_audit.audit_event',
  ],
  signet_migration: ['migration_audit.audit_event'],
  signet_federation: [],
  signet_introspection: [
    ...PUBLISHED_DIRECTORY,
    'directory_read.personal_access_token_v1',
    'grants_read.generation_v1',
    'grants_read.revocation_v1',
  ],
  signet_login: [
    ...PUBLISHED_DIRECTORY,
    'directory_read.authorization_detail_type_v1',
    'directory_read.branding_file_v1',
    'directory_read.branding_v1',
    'directory_read.identity_provider_v1',
    'directory_read.label_colours_v1',
    'directory_read.login_domain_v1',
    'directory_read.login_text_v1',
    'directory_read.passkey_policy_v1',
    'directory_read.password_reset_v1',
    'directory_read.privacy_links_v1',
    'directory_read.sign_in_page_v1',
    'directory_read.project_grant_v1',
    'directory_read.provider_initiated_v1',
    'grants_read.ended_session_v1',
    'grants_read.generation_v1',
    'grants_read.revocation_v1',
  ],
}

interface Relation {
  readonly name: string
  readonly schema: string
  readonly owner: string
  /** A column to write to. */
  readonly column: string
}

let server: TestDatabase
let admin: Database
let relations: readonly Relation[]
const pools = new Map<DatabaseRole, Database>()

beforeAll(async () => {
  server = await createTestDatabase({
    migrations: [
      ...[directoryMigrations, tokenMigrations, keysMigrations, migrationMigrations],
      federationMigrations,
    ],
  })
  admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 1 })
  for (const role of DATABASE_ROLES) {
    pools.set(role, createPool({ url: server.url(role), applicationName: 'test', max: 1 }))
  }
  const { rows } = await admin.query<Relation>({
    name: '',
    text: `SELECT format('%I.%I', n.nspname, c.relname) AS name, n.nspname AS schema, c.relowner::regrole::text AS owner,
                  (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 LIMIT 1) AS column
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
            ORDER BY 1`,
  })
  relations = rows
})
afterAll(async () => {
  await Promise.all([...pools.values(), ...(admin ? [admin] : [])].map((pool) => pool.close()))
  await server?.drop()
})

/** The SQLSTATE of the refusal; undefined when the statement was allowed. Nothing that was allowed is kept. */
async function refusal(role: DatabaseRole, text: string): Promise<string | undefined> {
  const rolledBack = new Error('allowed')
  try {
    await pools.get(role)?.transaction(async (tx) => {
      await tx.query({ name: '', text })
      throw rolledBack
    })
  } catch (error) {
    return error === rolledBack ? undefined : (error as { code: string }).code
  }
  return undefined
}

const INSUFFICIENT_PRIVILEGE = '42501'

it('finds the tables and views of every service', () => {
  const schemas = new Set(relations.map(({ schema }) => schema))
  expect(schemas).toEqual(new Set([...Object.values(SERVICE_SCHEMAS).flat(), ...AUDIT_SCHEMAS]))
  expect(relations.length).toBeGreaterThan(35)
})

it('everything in a schema belongs to the role of its service, and audit logs to a role that cannot sign in', async () => {
  const { rows } = await admin.query({
    name: '',
    text: `SELECT rolcanlogin, rolsuper FROM pg_roles WHERE rolname = 'signet_audit'`,
  })
  expect(rows).toEqual([{ rolcanlogin: false, rolsuper: false }])
  for (const { name, schema, owner } of relations) {
    const owned: readonly string[] =
      owner === 'signet_audit' ? AUDIT_SCHEMAS : (SERVICE_SCHEMAS[owner as DatabaseRole] ?? [])
    expect(owned, `${name} belongs to ${owner}`).toContain(schema)
  }
})

describe.each(DATABASE_ROLES)('%s', (role) => {
  const foreign = () => relations.filter(({ owner }) => owner !== role)

  it('reads exactly the views that are published to it', async () => {
    const readable: string[] = []
    for (const { name } of foreign()) {
      const state = await refusal(role, `SELECT FROM ${name} LIMIT 1`)
      if (state === undefined) readable.push(name)
      else expect(state, name).toBe(INSUFFICIENT_PRIVILEGE)
    }
    expect(readable).toEqual([...MAY_READ[role]].sort())
  })

  it('writes only its own tables', async () => {
    expect(foreign().length).toBeGreaterThan(5)
    for (const { name, column } of foreign()) {
      for (const text of [
        ...(name === ADDS_TO[role] ? [] : [`INSERT INTO ${name} DEFAULT VALUES`]),
        `UPDATE ${name} SET ${column} = NULL`,
        `DELETE FROM ${name}`,
        `TRUNCATE ${name}`,
        `ALTER TABLE ${name} ADD COLUMN mine text`,
        `DROP TABLE ${name}`,
      ]) {
        // Some views refuse some of it by their definition, before privileges are checked.
        expect(await refusal(role, text), `${role}: ${text}`).toMatch(/^(42501|55000|42809|0A000|428C9)$/)
      }
    }
  })

  it('was granted no privilege to write, on no column of anything', async () => {
    const { rows } = await admin.query<{ name: string }>({
      name: '',
      text: `SELECT name FROM unnest($2::text[]) AS relation (name)
              WHERE has_table_privilege($1, name, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
                 OR has_any_column_privilege($1, name, 'INSERT, UPDATE')`,
      values: [role, foreign().flatMap(({ name }) => (name === ADDS_TO[role] ? [] : [name]))],
    })
    expect(rows).toEqual([])
  })

  it('creates nothing outside its own schemas and calls no function of others', async () => {
    const own: readonly string[] = SERVICE_SCHEMAS[role]
    for (const schema of [...new Set(relations.map(({ schema }) => schema)), 'public']) {
      const state = await refusal(role, `CREATE TABLE ${schema}.mine (id text)`)
      expect(state, schema).toBe(own.includes(schema) ? undefined : INSUFFICIENT_PRIVILEGE)
    }
    expect(await refusal(role, 'CREATE SCHEMA mine')).toBe(INSUFFICIENT_PRIVILEGE)
    if (role !== 'signet_keys') {
      expect(await refusal(role, 'SELECT directory_audit.seal(1)')).toBe(INSUFFICIENT_PRIVILEGE)
      expect(await refusal(role, "SELECT directory_audit.store_head(1, 'a')")).toBe(INSUFFICIENT_PRIVILEGE)
    }
    if (role !== 'signet_directory') {
      const call = "SELECT directory.claim_principal('a', 'account', 'a')"
      expect(await refusal(role, call)).toBe(INSUFFICIENT_PRIVILEGE)
    }
  })

  it('has no further privileges', async () => {
    const { rows } = await admin.query({
      name: '',
      text: `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
                    (SELECT count(*) FROM pg_auth_members m WHERE m.member = r.oid) AS memberships
               FROM pg_roles r WHERE rolname = $1`,
      values: [role],
    })
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
        memberships: 0,
      },
    ])
    for (const other of DATABASE_ROLES.filter((name) => name !== role)) {
      expect(await refusal(role, `SET ROLE ${other}`), other).toBe(INSUFFICIENT_PRIVILEGE)
    }
    expect(await refusal(role, 'SELECT rolpassword FROM pg_authid')).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await refusal(role, "SELECT pg_read_file('PG_VERSION')")).toBe(INSUFFICIENT_PRIVILEGE)
  })
})

it('no published view contains a credential', async () => {
  const { rows } = await admin.query<{ view: string; table: string; column: string }>({
    name: '',
    text: `SELECT DISTINCT view_schema || '.' || view_name AS view, table_name::text AS table, column_name::text AS column
             FROM information_schema.view_column_usage
            WHERE view_schema LIKE '%\\_read' OR (view_schema, view_name) = ('directory', 'effective_policy_v1')`,
  })
  expect(rows.length).toBeGreaterThan(50)
  const secret = /password|totp|sealed|seed|token_hash|private(?!_labeling_setting)|fingerprint/
  // Policies for passwords, which are no password.
  const rules =
    /^(allows_password|hides_password_reset|max_password_attempts|password_(seconds|min_length|needs_[a-z]+))$/
  // One service looks personal access tokens up, by the hash of their 256 bits.
  const others = rows.filter(({ view }) => view !== 'directory_read.personal_access_token_v1')
  expect(others.length).toBeLessThan(rows.length)
  const shown = others.filter(({ table, column }) => secret.test(table) || secret.test(column))
  expect(shown.filter(({ table, column }) => table !== 'effective_policy_v1' || !rules.test(column))).toEqual(
    [],
  )
})

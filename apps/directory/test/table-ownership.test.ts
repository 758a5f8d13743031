import type { Database } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES, type DatabaseRole } from '@signet/platform/postgres/roles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let directory: DirectoryFixture
let tables: readonly string[]
let views: readonly string[]
const connections = new Map<DatabaseRole, Database>()

async function relations(schema: string, ...kinds: readonly ('r' | 'p' | 'v')[]): Promise<readonly string[]> {
  const rows = await directory.rows<{ name: string }>(
    'SELECT relname::text AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind::text = ANY ($2) ORDER BY relname',
    [schema, kinds],
  )
  return rows.map(({ name }) => name)
}

beforeAll(async () => {
  directory = await directoryFixture()
  tables = await relations('directory', 'r', 'p')
  views = await relations('directory_read', 'v')
  for (const role of DATABASE_ROLES) connections.set(role, directory.as(role))
})
afterAll(() => directory?.stop())

/** The message of the refusal, or undefined when the statement was allowed. */
async function refusal(role: DatabaseRole, text: string): Promise<string | undefined> {
  try {
    await connections.get(role)?.query({ name: '', text })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const PUBLISHED = [
  'account_claims_v1',
  'change_v1',
  'client_v1',
  'feature_v1',
  'organization_v1',
  'project_v1',
  'setting_v1',
  'user_grant_v1',
]
/** The views of endings, bearers and assertion keys, which one service reads. */
const FOR_TOKEN = [
  'account_life_v1',
  'client_life_v1',
  'client_logout_v1',
  'ending_change_v1',
  'issuer_trust_v1',
  'machine_key_v1',
  'member_v1',
  'service_user_v1',
]
const MAY_READ: Readonly<Record<Exclude<DatabaseRole, 'signet_directory'>, readonly string[]>> = {
  signet_token: [
    ...[...PUBLISHED, ...FOR_TOKEN],
    'authorization_detail_type_v1',
    'personal_access_token_v1',
    'project_grant_v1',
    'provider_assertion_v1',
    'provider_link_v1',
  ],
  signet_login: [
    ...PUBLISHED,
    'authorization_detail_type_v1',
    'branding_file_v1',
    'branding_v1',
    'identity_provider_v1',
    'label_colours_v1',
    'login_domain_v1',
    'login_text_v1',
    'passkey_policy_v1',
    'password_reset_v1',
    'privacy_links_v1',
    'project_grant_v1',
    'provider_initiated_v1',
    'sign_in_page_v1',
  ],
  signet_introspection: [...PUBLISHED, 'personal_access_token_v1'],
  signet_keys: ['setting_v1', 'signing_algorithm_v1'],
  signet_federation: [],
  signet_migration: [],
}

it('publishes the views that this test knows', () => {
  expect(views).toEqual([...new Set(Object.values(MAY_READ).flat())].sort())
})

describe.each(Object.entries(MAY_READ))('%s', (name, readable) => {
  const role = name as DatabaseRole

  it('is refused on every table, reading and writing', async () => {
    expect(tables.length).toBeGreaterThan(20)
    for (const table of tables) {
      expect(await refusal(role, `SELECT FROM directory.${table}`), table).toMatch(/^permission denied/)
      expect(await refusal(role, `DELETE FROM directory.${table}`), table).toMatch(/^permission denied/)
    }
  })

  it('reads exactly the views that it was given, and writes none', async () => {
    for (const view of views) {
      const answer = await refusal(role, `SELECT FROM directory_read.${view}`)
      if (readable.includes(view)) expect(answer, view).toBeUndefined()
      else expect(answer, view).toMatch(/^permission denied/)
      expect(await refusal(role, `DELETE FROM directory_read.${view}`), view).toMatch(
        /^permission denied|cannot delete/,
      )
    }
  })

  it('may neither raise an epoch nor call the functions of the directory', async () => {
    expect(await refusal(role, "SELECT directory.claim_principal('a', 'account', 'a')")).toMatch(
      /^permission denied/,
    )
  })
})

it('no view contains a column with a credential', async () => {
  const rows = await directory.rows<{ view_name: string; table_name: string; column_name: string }>(
    `SELECT view_name::text, table_name::text, column_name::text FROM information_schema.view_column_usage
      WHERE view_schema = 'directory_read'`,
  )
  const forbidden = [
    'account_password',
    'account_totp',
    'passkey',
    'passkey_user',
    'recovery_code',
    'browser_trust',
    'master_key_check',
    'bootstrap_fingerprint',
  ]
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter(({ table_name }) => forbidden.includes(table_name))).toEqual([])
  // A personal access token is looked up by the hash of its 256 bits, by the two services that may.
  const tokenViews = rows.filter(({ table_name }) => table_name === 'personal_access_token')
  expect(new Set(tokenViews.map(({ view_name }) => view_name))).toEqual(new Set(['personal_access_token_v1']))
})

it('the directory owns everything that its migrations made', async () => {
  expect(
    await directory.rows(
      `SELECT relname FROM pg_class WHERE relnamespace IN ('directory'::regnamespace, 'directory_read'::regnamespace)
          AND relowner <> 'signet_directory'::regrole`,
    ),
  ).toEqual([])
})

import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '@signet/platform/postgres/migrate'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { plainKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DoctorStore } from '../src/doctor/doctor.repository.ts'
import { InstanceStore } from '../src/instance/instance.repository.ts'
import { migrations } from '../src/migrations.ts'

/** The last migration of the version that knew no marks of applications, acceptances and tombstones. */
const LAST_BEFORE = '0030_audit_partitions.sql'

/** Every character that a key could have before case folding, and has no more. */
const FOLDED_LETTERS = Array.from({ length: 0x1_1000 }, (_, code) => code)
  .filter((code) => code > 0x7f && (code < 0xd800 || code > 0xdfff))
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => plainKey(letter) === letter && userNameKey(`x${letter}`) !== `x${letter}`)

/** The rows of such an instance. */
const ROWS = [
  `INSERT INTO directory.organization (organization_id, name, primary_domain)
   VALUES ('acme', 'ACME', 'acme.test'), ('partner', 'Partner', 'partner.test')`,
  `INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
   VALUES ('acme', 'acme.test', true), ('partner', 'partner.test', true)`,
  `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
   VALUES ('alice', 'acme', 'human', 'alice', 'alice', 'Alice'), ('dead', 'acme', 'human', 'dead', 'dead', 'Dead')`,
  `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('portal', 'acme', 'Portal')`,
  `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method, redirect_uris, response_types, grant_types)
   VALUES ('web', 'web', 'portal', 'Web', 'web', 'none', '{https://app.test/cb}', '{code}', '{authorization_code}')`,
  "UPDATE directory.application SET id_token_signing_alg = 'EdDSA'",
  `INSERT INTO directory.member (user_id, level, organization_id, role)
   VALUES ('alice', 'instance', NULL, 'IAM_OWNER'), ('alice', 'organization', 'partner', 'ORG_OWNER')`,
  `INSERT INTO directory.project_grant (project_id, granted_organization_id) VALUES ('portal', 'partner')`,
  `INSERT INTO directory.personal_access_token (user_id, token_id, token_hash)
   VALUES ('alice', 'old', decode(repeat('ab', 32), 'hex'))`,
  `DELETE FROM directory.account WHERE user_id = 'dead'`,
  `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name, created_at)
   VALUES ('weiss', 'acme', 'human', 'weiss', 'weiss', 'W', '2020-01-01'),
          ('weiss-2', 'acme', 'human', 'Weiß', 'weiß', 'W', '2019-01-01'),
          ('mass', 'acme', 'human', 'Maß', 'maß', 'M', '2020-01-01'),
          ('mass-2', 'acme', 'human', 'maﬆ', 'maſſ', 'M', '2021-01-01'),
          ('mass-3', 'partner', 'human', 'Maß', 'maß', 'M', '2022-01-01')`,
  ...FOLDED_LETTERS.map(
    (letter, at) =>
      `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
       VALUES ('folded-${at}', 'partner', 'human', '${at}x${letter.replace("'", "''")}', '${at}x${letter.replace("'", "''")}', 'F')`,
  ),
]

let testDatabase: TestDatabase
let admin: Database
let directory: Database
beforeAll(async () => {
  const { schema, role } = migrations
  testDatabase = await createTestDatabase({ migrations: [{ schema, role, folder: await oldMigrations() }] })
  admin = createPool({ url: testDatabase.adminUrl, applicationName: 'test', max: 1 })
  directory = createPool({
    url: testDatabase.url('signet_directory'),
    applicationName: 'test',
    max: 1,
  })
  await directory.transaction(async (tx) => {
    for (const text of ROWS) await tx.query({ name: '', text })
  })
  expect(await migrate(admin, migrations)).not.toEqual([])
})
afterAll(async () => {
  await Promise.all([admin?.close(), directory?.close()])
  await testDatabase?.drop()
})

async function oldMigrations(): Promise<URL> {
  const folder = await temporaryFolder('old-migrations')
  for (const name of await readdir(migrations.folder)) {
    if (name <= LAST_BEFORE) await copyFile(new URL(name, migrations.folder), join(folder, name))
  }
  return pathToFileURL(`${folder}/`)
}

const rows = async (text: string) => (await directory.query({ name: '', text })).rows

it('keeps applications first-party and gives none of them the management API', async () => {
  expect(await rows('SELECT client_id, first_party, may_call_api FROM directory_read.client_v1')).toEqual([
    { client_id: 'web', first_party: true, may_call_api: false },
  ])
})

it('keeps a signing algorithm that an application has', async () => {
  expect(
    await rows(
      'SELECT algorithm, named_at::text AS since FROM directory_read.signing_algorithm_v1 ORDER BY algorithm',
    ),
  ).toEqual(['ES256', 'EdDSA', 'RS256'].map((algorithm) => ({ algorithm, since: '-infinity' })))
})

it('keeps roles and project grants that cross organizations', async () => {
  expect(await rows('SELECT role FROM directory_read.member_v1 ORDER BY role')).toEqual([
    { role: 'IAM_OWNER' },
    { role: 'ORG_OWNER' },
  ])
  expect(await rows('SELECT * FROM directory_read.project_grant_v1')).toHaveLength(1)
})

it('keeps personal access tokens without an end', async () => {
  expect(await rows('SELECT user_id, active FROM directory_read.personal_access_token_v1')).toEqual([
    { user_id: 'alice', active: true },
  ])
})

it('does not begin to want a second factor for roles of the instance', async () => {
  await new InstanceStore(directory).setIamRequiresMfaOnce(true)
  expect(await rows('SELECT iam_requires_mfa FROM directory_read.setting_v1')).toEqual([
    { iam_requires_mfa: false },
  ])
})

it('lets the doctor list objects that the new rules concern', async () => {
  const doctor = new DoctorStore(directory)
  for (const check of ['first_party', 'foreign_member', 'project_grant', 'token_without_end'] as const) {
    expect([check, (await doctor.find(check, 10, undefined)).count]).toEqual([check, 1])
  }
})

it('folds the keys of user names, and leaves one whose folded form another account has', async () => {
  const rows = async (text: string) =>
    (await directory.query<{ id: string; name: string; key: string }>({ name: '', text })).rows
  const folded = await rows(
    `SELECT user_id AS id, user_name AS name, user_name_key AS key FROM directory.account WHERE user_id LIKE 'folded-%'`,
  )
  expect(folded).toHaveLength(FOLDED_LETTERS.length)
  for (const { name, key } of folded) expect(key).toBe(userNameKey(name))
  const pairs = await rows(
    `SELECT user_id AS id, '' AS name, user_name_key AS key FROM directory.account
      WHERE user_id LIKE 'weiss%' OR user_id LIKE 'mass%' ORDER BY user_id`,
  )
  expect(pairs.map(({ id, key }) => [id, key])).toEqual([
    ['mass', 'mass'],
    ['mass-2', 'maſſ'],
    ['mass-3', 'mass'],
    ['weiss', 'weiss'],
    ['weiss-2', 'weiß'],
  ])
})

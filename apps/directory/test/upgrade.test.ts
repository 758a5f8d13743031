import { readFile } from 'node:fs/promises'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { plainKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../src/migrations.ts'

/*
 * The files of `migrations/replaced` that change rows, which only a database of an earlier version has applied to it. `npm run
 * test:upgrade` applies all of them to the schema of that version.
 */

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
  `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('portal', 'acme', 'Portal')`,
  `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method, redirect_uris, response_types, grant_types)
   VALUES ('web', 'web', 'portal', 'Web', 'web', 'none', '{https://app.test/cb}', '{code}', '{authorization_code}')`,
  "UPDATE directory.application SET id_token_signing_alg = 'EdDSA'",
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

/** Takes away what `0106_signing_algorithms.sql` made. */
const WITHOUT_NAMED_ALGORITHMS = [
  'DROP FUNCTION directory.name_signing_algorithms, directory.require_signing_algorithm CASCADE',
  'DROP FUNCTION directory.signing_algorithm_problem',
  'ALTER TABLE directory.setting DROP COLUMN signing_algorithms, DROP COLUMN signing_algorithms_named CASCADE',
]

let testDatabase: TestDatabase
let directory: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrations: [migrations] })
  directory = createPool({ url: testDatabase.url('signet_directory'), applicationName: 'test', max: 1 })
  const replaced = ['0080_folded_user_names.sql', '0106_signing_algorithms.sql']
  const texts = replaced.map((name) => readFile(new URL(`replaced/${name}`, migrations.folder), 'utf8'))
  await directory.transaction(async (tx) => {
    for (const text of [...WITHOUT_NAMED_ALGORITHMS, ...ROWS]) await tx.query({ name: '', text })
  })
  await directory.transaction(async (tx) => {
    for (const text of await Promise.all(texts)) await tx.query({ name: '', text })
  })
})
afterAll(async () => {
  await directory?.close()
  await testDatabase?.drop()
})

const rows = async (text: string) => (await directory.query({ name: '', text })).rows

it('keeps a signing algorithm that an application has', async () => {
  expect(
    await rows(
      'SELECT algorithm, named_at::text AS since FROM directory_read.signing_algorithm_v1 ORDER BY algorithm',
    ),
  ).toEqual(['ES256', 'EdDSA', 'RS256'].map((algorithm) => ({ algorithm, since: '-infinity' })))
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

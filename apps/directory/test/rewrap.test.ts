import { randomBytes } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import { StartFailure } from '@signet/platform/process/service'
import type { SealedColumn } from '@signet/platform/sealing/rewrap'
import { keyId, openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCarried, writeCarried } from '../src/carried/carried.repository.ts'
import { openAuthenticators, sealAuthenticators } from '../src/credentials/totp.ts'
import { CHECK_COLUMN, SEALED_COLUMNS, SealedValueStore } from '../src/sealed-value.repository.ts'
import { MasterKeyCheckStore, requireMasterKey } from '../src/sealing/master-key-check.repository.ts'
import {
  idempotencyPurpose,
  identityProviderPurpose,
  ownKeysPurpose,
  undoPurpose,
} from '../src/sealing/purposes.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

const [oldKey, newKey, lostKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const PEOPLE = Array.from({ length: 2_100 }, (_, at) => `p${at}`)
let fixture: DirectoryFixture

beforeAll(async () => {
  fixture = await directoryFixture()
  await fixture.apply({ organizations: [{ id: 'acme', name: 'acme', primaryDomain: 'acme.localhost' }] })
  await fixture.rows('DELETE FROM directory.master_key_check')
})
afterAll(() => fixture?.stop())

const start = (keys: readonly Buffer[]) =>
  requireMasterKey(new MasterKeyCheckStore(fixture.owner), keys, randomBytes)
const rewrap = (keys: readonly Buffer[]) =>
  fixture.owner.transaction((tx) => new SealedValueStore(tx).rewrap(keys, randomBytes))

/** How many values of each column are sealed under a key. */
async function valuesUnder(key: Buffer): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { table, column } of [...SEALED_COLUMNS, CHECK_COLUMN]) {
    const text = `SELECT count(*)::int AS count FROM ${table} WHERE substr(${column}, 2, 4) = $1`
    const [row] = await fixture.rows<{ count: number }>(text, [keyId(key)])
    if (row?.count) counts[`${table}.${column}`] = row.count
  }
  return counts
}

async function storeUnder(keys: readonly Buffer[]): Promise<void> {
  const sealing = { masterKeys: keys, random: randomBytes }
  const authenticators = (userId: string) =>
    sealAuthenticators(
      keys,
      userId,
      [
        { name: 'phone', seed: Buffer.from(userId), algorithm: 'SHA256', digits: 8, period: 60 },
        { name: undefined, seed: Buffer.from('second'), algorithm: 'SHA1', digits: 6, period: 30 },
      ],
      randomBytes,
    )
  await fixture.rows(
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     SELECT id, 'acme', 'human', id, id, id FROM unnest($1::text[]) id`,
    [PEOPLE],
  )
  await fixture.rows(
    'INSERT INTO directory.account_totp (user_id, sealed_seed) SELECT * FROM unnest($1::text[], $2::bytea[])',
    [PEOPLE, PEOPLE.map(authenticators)],
  )
  const [first = ''] = PEOPLE
  const secret = sealValue(keys, Buffer.from('of-idp'), identityProviderPurpose('idp'), randomBytes)
  const ownKey = sealValue(keys, Buffer.from('key'), ownKeysPurpose('saml'), randomBytes)
  const image = {
    account_totp: [
      { user_id: first, sealed_seed: `\\x${authenticators(first).toString('hex')}`, last_step: 0 },
    ],
    identity_provider: [
      { provider_id: 'idp', sealed_secret: `\\x${secret.toString('hex')}` },
      { provider_id: 'public', sealed_secret: null },
      { provider_id: 'saml', sealed_secret: null, sealed_own_keys: `\\x${ownKey.toString('hex')}` },
    ],
  }
  await fixture.owner.transaction(async (tx) => {
    await writeCarried(tx, sealing, [
      { organizationId: 'acme', list: 'actions', key: 'hook', content: { script: 'x' } },
    ])
    const objects = [{ index: 0, key: [first] as [string], before: image, fingerprint: '1' }]
    const batch = { jobId: 'job', batch: 7, list: 'humanUsers', organizationId: 'acme', seed: '0', objects }
    await createUndoBatchRepository(sealing).add(tx, [batch], 30)
  })
  await fixture.rows(
    `INSERT INTO directory.idempotency_key (caller_id, key, request_digest, sealed_answer, claimed_at)
     VALUES ('admin', 'once', $1, $2, now())`,
    [randomBytes(32), sealValue(keys, Buffer.from('{}'), idempotencyPurpose('admin', 'once'), randomBytes)],
  )
}

it('knows every column of the schema that holds sealed values', async () => {
  const rows = await fixture.rows<{ name: string }>(
    `SELECT 'directory.' || table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'directory' AND column_name LIKE 'sealed%' ORDER BY 1`,
  )
  const nameOf = ({ table, column }: SealedColumn) => `${table}.${column}`
  expect([...SEALED_COLUMNS, CHECK_COLUMN].map(nameOf).sort()).toEqual(rows.map(({ name }) => name))
})

it('leaves nothing under the old master key, so that it may leave the list', async () => {
  await start([oldKey])
  await storeUnder([oldKey])
  await expect(start([newKey]), 'the old key is needed').rejects.toThrow(StartFailure)
  // Two at once, as two administrators may run the command.
  const results = []
  for (let call = 0; call < 3; call += 1) {
    results.push(...(await Promise.all([rewrap([newKey, oldKey]), rewrap([newKey, oldKey])])))
    if (results.some(({ done }) => done)) break
    await expect(start([newKey]), 'the old key is needed until the end').rejects.toThrow(StartFailure)
  }
  expect(await rewrap([newKey, oldKey])).toEqual({ rewrapped: 0, unreadable: 0, done: true })
  expect(await valuesUnder(oldKey)).toEqual({})
  const total = results.reduce((sum, { rewrapped }) => sum + rewrapped, 0)
  expect(total, 'each value once').toBe(PEOPLE.length + 4)

  await start([newKey])
  const [first = ''] = PEOPLE
  const [totp] = await fixture.rows<{ sealed_seed: Buffer }>(
    'SELECT sealed_seed FROM directory.account_totp WHERE user_id = $1',
    [first],
  )
  expect(openAuthenticators([newKey], first, totp?.sealed_seed ?? Buffer.of())).toMatchObject([
    { name: 'phone', seed: Buffer.from(first), algorithm: 'SHA256', digits: 8, period: 60 },
    { seed: Buffer.from('second') },
  ])
  const [carried] = await fixture.rows<Parameters<typeof openCarried>[2]>(
    'SELECT list, record_key, sealed_record FROM directory.carried_record',
  )
  expect(carried && openCarried([newKey], 'acme', carried)).toEqual({ script: 'x' })
  const [undo] = await fixture.rows<{ sealed: Buffer }>('SELECT sealed FROM directory.undo_batch')
  const plain = openValue([newKey], undo?.sealed ?? Buffer.of(), undoPurpose('job', 7))
  const { objects } = JSON.parse(zstdDecompressSync(plain ?? Buffer.of()).toString())
  const { account_totp, identity_provider } = objects[0].before
  const bytes = (text: string) => Buffer.from(text.slice(2), 'hex')
  const seeds = openAuthenticators([newKey], first, bytes(account_totp[0].sealed_seed))
  expect(seeds, 'the rows before an update').toHaveLength(2)
  const [idp, withoutSecret, saml] = identity_provider
  const opened = openValue([newKey], bytes(idp.sealed_secret), identityProviderPurpose('idp'))
  expect(opened?.toString()).toBe('of-idp')
  expect(withoutSecret).toEqual({ provider_id: 'public', sealed_secret: null })
  const key = openValue([newKey], bytes(saml.sealed_own_keys), ownKeysPurpose('saml'))
  expect(key?.toString()).toBe('key')
})

it('counts what none of the keys opens, leaves it, and goes on needing the old key', async () => {
  await fixture.rows('UPDATE directory.account_totp SET sealed_seed = $1 WHERE user_id = $2', [
    sealValue([lostKey], Buffer.from('seed'), 'account_totp p1', randomBytes),
    'p1',
  ])
  // A value of another row, as a user who writes to the database may put it there.
  await fixture.rows('UPDATE directory.account_totp SET sealed_seed = $1 WHERE user_id = $2', [
    sealValue([newKey], Buffer.from('seed'), 'account_totp p3', randomBytes),
    'p2',
  ])
  const third = randomBytes(32)
  const results = []
  do results.push(await rewrap([third, newKey]))
  while (!results.at(-1)?.done && results.length < 5)
  expect(results.at(-1)).toMatchObject({ unreadable: 2, done: true })
  expect(await valuesUnder(newKey)).toEqual({
    'directory.account_totp.sealed_seed': 1,
    'directory.master_key_check.sealed': 1,
  })
  await expect(start([third])).rejects.toThrow(StartFailure)
})

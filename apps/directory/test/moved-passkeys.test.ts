import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { batchFixture, person } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let fixture: DirectoryFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf } = batchFixture(fixture))
  await fixture.apply({ organizations: [{ id: 'one', name: 'One', primaryDomain: 'one.localhost' }] })
})
afterAll(() => fixture?.stop())

const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

const passkey = (id: string, more: object = {}) => ({
  passkeyId: id,
  rpId: 'localhost',
  credentialId: digest(id),
  publicKey: Buffer.from(id).toString('base64url'),
  counter: 7,
  transports: ['internal', 'hybrid'],
  aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
  name: `Passkey ${id}`,
  backupEligible: true,
  creationDate: '2026-01-02T03:04:05.678Z',
  ...more,
})

function owner(userId: string, credentials: readonly object[], handle = digest(userId)) {
  const { user } = person(userId)
  return { userId, user: { ...user, passkeys: { handle, credentials } } }
}

const stored = async (userId: string) =>
  (
    await fixture.rows<{ name: string }>(
      'SELECT name FROM directory.passkey WHERE user_id = $1 ORDER BY passkey_id',
      [userId],
    )
  ).map(({ name }) => name)

it('adds the passkeys of a new user; one that was cloned stays so', async () => {
  const cloned = { counter: 4_294_967_295, clonedDate: '2026-02-03T04:05:06Z', backupEligible: false }
  const [applied] = await apply([
    batchOf('added', 0, 'one', [owner('ann', [passkey('ann-1'), passkey('ann-2', cloned)])]),
  ])
  expect(applied).toEqual({ outcomes: 'c', failures: [], notes: [] })
  expect(
    await fixture.rows(
      `SELECT name, counter::text, transports, aaguid, backup_eligible, backed_up, created_at, last_used_at, cloned_at,
              encode(public_key, 'escape') AS key, encode(u.handle, 'hex') AS handle
         FROM directory.passkey JOIN directory.passkey_user u USING (user_id) WHERE user_id = 'ann' ORDER BY passkey_id`,
    ),
  ).toEqual([
    {
      name: 'Passkey ann-1',
      counter: '7',
      transports: ['internal', 'hybrid'],
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
      backup_eligible: true,
      backed_up: false,
      created_at: new Date('2026-01-02T03:04:05.678Z'),
      last_used_at: null,
      cloned_at: null,
      key: 'ann-1',
      handle: Buffer.from(digest('ann'), 'base64url').toString('hex'),
    },
    expect.objectContaining({
      counter: '4294967295',
      backup_eligible: false,
      cloned_at: new Date('2026-02-03T04:05:06Z'),
    }),
  ])
})

it('leaves out the passkeys of another RP ID, and says how many', async () => {
  const foreign = passkey('bea-2', { rpId: 'old.example' })
  const [applied] = await apply([
    batchOf('foreign', 0, 'one', [owner('bea', [passkey('bea-1'), foreign]), owner('ben', [foreign])]),
  ])
  expect(applied).toMatchObject({
    outcomes: 'cc',
    notes: ['2 passkeys are left out: they have another RP ID, and this instance has the RP ID localhost'],
  })
  expect([await stored('bea'), await stored('ben')]).toEqual([['Passkey bea-1'], []])
})

it('gives no passkey to a user who existed before', async () => {
  await apply([batchOf('before', 0, 'one', [owner('cid', [passkey('cid-1')])])])
  const [applied] = await apply([
    batchOf('after', 0, 'one', [owner('cid', [passkey('cid-1'), passkey('cid-2')], digest('other'))]),
  ])
  expect(applied).toMatchObject({
    outcomes: 'u',
    notes: ['1 passkeys are left out: their user existed before, or another user has them'],
  })
  expect(await stored('cid')).toEqual(['Passkey cid-1'])
})

it('takes no passkey, credential or handle from another user', async () => {
  await apply([batchOf('first', 0, 'one', [owner('dan', [passkey('dan-1')])])])
  const [applied] = await apply([
    batchOf('second', 0, 'one', [
      owner('eve-a', [passkey('dan-1', { credentialId: digest('eve') })]),
      owner('eve-b', [passkey('eve-2', { credentialId: digest('dan-1') })]),
      owner('eve-c', [passkey('eve-3')], digest('dan')),
    ]),
  ])
  expect(applied).toMatchObject({
    outcomes: 'ccc',
    notes: ['3 passkeys are left out: their user existed before, or another user has them'],
  })
  expect(await Promise.all(['dan', 'eve-a', 'eve-b', 'eve-c'].map(stored))).toEqual([
    ['Passkey dan-1'],
    [],
    [],
    [],
  ])
})

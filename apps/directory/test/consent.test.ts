import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
beforeAll(async () => {
  fixture = await rpcFixture()
  await fixture.directory.apply(sampleDocument())
})
afterAll(() => fixture?.stop())

const find = async (userId = 'alice', clientId = 'web') =>
  (await fixture.accounts.findConsent({ userId, clientId }, TIMEOUT)).scopes
const record = (scopes: string[], userId = 'alice', clientId = 'web') =>
  fixture.accounts.recordConsent({ userId, clientId, scopes }, TIMEOUT)

it('stores consent per application and only adds scopes [F-38]', async () => {
  expect(await find()).toEqual([])
  await record(['profile', 'openid', 'openid'])
  expect(await find()).toEqual(['openid', 'profile'])
  await Promise.all([record(['email']), record(['openid', 'email']), record([])])
  expect(await find()).toEqual(['email', 'openid', 'profile'])
  expect(await find('alice', 'other')).toEqual([])
  expect(await find('migrator-id')).toEqual([])
})

it.each([
  ['nobody', 'web'],
  ['alice', 'nothing'],
  // A service user gives no consent.
  ['migrator-id', 'web'],
])('is refused for %s and %s', async (userId, clientId) => {
  await expect(record(['openid'], userId, clientId)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
})

it.each([[['']], [['x'.repeat(1001)]], [Array.from({ length: 101 }, (_, at) => `s${at}`)]])(
  'refuses scopes without end',
  async (scopes) => {
    await expect(record(scopes)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  },
)

it('a user lists granted scopes and withdraws the consent of an application [F-38]', async () => {
  await record(['profile', 'openid'])
  const list = async (userId = 'alice') => (await fixture.accounts.listConsents({ userId }, TIMEOUT)).consents
  const withdraw = () =>
    fixture.accounts.withdrawConsent(
      { userId: 'alice', clientId: 'web', clientAddress: '203.0.113.9' },
      TIMEOUT,
    )
  expect(await list()).toMatchObject([{ clientId: 'web', scopes: expect.arrayContaining(['openid']) }])
  expect(await list('nobody')).toEqual([])
  await fixture.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
  await Promise.all([withdraw(), withdraw()])
  await withdraw()
  expect(await list()).toEqual([])
  expect(await find()).toEqual([])
  expect(await fixture.directory.audited()).toMatchObject([
    {
      action: 'consent.withdraw',
      actorId: 'alice',
      targetKind: 'client',
      targetId: 'web',
      organizationId: 'acme',
      clientAddress: '203.0.113.9',
      result: 'success',
    },
  ])
})

it('is deleted with the application', async () => {
  const stored = async () => (await fixture.directory.digests())['directory.consent']
  const before = await stored()
  await record(['openid'])
  expect(await stored()).not.toBe(before)
  await fixture.directory.rows("DELETE FROM directory.application WHERE client_id = 'web'")
  expect(await stored()).toBe(before)
})

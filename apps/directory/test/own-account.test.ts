import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const own = () => rpcClient(OwnAccountService, fixture.network.transport('login', 'directory'))

beforeAll(async () => {
  fixture = await rpcFixture()
  await fixture.directory.apply(sampleDocument())
})
afterAll(() => fixture?.stop())

const epochs = async () => {
  const [row] = await fixture.directory.rows<{ user: string; organization: string }>(
    `SELECT a.token_epoch AS user, o.token_epoch AS organization
       FROM directory.account a JOIN directory.organization o USING (organization_id) WHERE a.user_id = 'alice'`,
  )
  return { userEpoch: BigInt(row?.user ?? 0), organizationEpoch: BigInt(row?.organization ?? 0) }
}
const state = () =>
  fixture.directory.rows(
    `SELECT a.token_epoch, p.hash, a.display_name
       FROM directory.account a JOIN directory.account_password p USING (user_id) WHERE user_id = 'alice'`,
  )

const PROFILE = { givenName: '', familyName: '', nickName: '', displayName: 'Other', preferredLanguage: '' }
type Change = { userId: string; userEpoch: bigint; organizationEpoch: bigint }
const CHANGES = {
  'another password': (change: Change) =>
    own().replacePassword({ change, password: 'Violet-harbour-27' }, TIMEOUT),
  'a sign-out everywhere': (change: Change) => own().signOutEverywhere({ change }, TIMEOUT),
  'another name': (change: Change) => own().updateProfile({ change, profile: PROFILE }, TIMEOUT),
  'the deletion of the account': (change: Change) => own().deleteAccount({ change }, TIMEOUT),
}

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  it.each(['userEpoch', 'organizationEpoch'] as const)(
    'is refused, and changes nothing, in a session with an older %s',
    async (older) => {
      await fixture.directory.rows('UPDATE directory.organization SET token_epoch = token_epoch + 1')
      await fixture.directory.rows('UPDATE directory.account SET token_epoch = token_epoch + 1')
      const session = { userId: 'alice', ...(await epochs()) }
      const before = await state()
      const ended = { ...session, [older]: session[older] - 1n }
      await expect(change(ended)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
      expect(await state()).toEqual(before)
    },
  )
})

it('lets one of two changes of the password in one session count', async () => {
  const change = { userId: 'alice', ...(await epochs()) }
  const passwords = ['Violet-harbour-27', 'Amber-lantern-38']
  const changed = await Promise.allSettled(
    passwords.map((password) => own().replacePassword({ change, password }, TIMEOUT)),
  )
  expect(changed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const accepted = await Promise.all(
    [PASSWORD, ...passwords].map((password) =>
      fixture.credentials.verifyPassword({ loginName: 'alice@acme.localhost', password }, TIMEOUT),
    ),
  )
  expect(accepted.filter(({ account }) => account !== undefined)).toHaveLength(1)
  expect(accepted[0]?.account).toBeUndefined()
})

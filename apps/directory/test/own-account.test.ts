import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const own = () => rpcClient(OwnAccountService, fixture.network.transport('login', 'directory'))

beforeAll(async () => {
  fixture = await rpcFixture()
  await fixture.directory.apply(sampleDocument())
})
afterAll(() => fixture?.stop())

const epochs = async () => ({
  userEpoch: BigInt((await fixture.directory.epochOf('account', 'alice')) ?? 0),
  organizationEpoch: BigInt((await fixture.directory.epochOf('organization', 'acme')) ?? 0),
})

const REFUSED = 'the session has ended, or the account may not sign in or not be changed'
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
      const before = await fixture.directory.digests()
      const ended = { ...session, [older]: session[older] - 1n }
      await expect(change(ended)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
      expect(await fixture.directory.digests()).toEqual(before)
    },
  )
})

/** The members that a request needs to be valid, so that nothing but the session refuses it. */
const FIELDS: Readonly<Record<string, object>> = {
  UpdateProfile: { profile: PROFILE },
  ReplacePassword: { password: 'Violet-harbour-27' },
  RequestEmailChange: { address: 'alice@other.localhost', language: 'en' },
  RecordOwnConsent: { clientId: 'web', scopes: ['openid'] },
  TrustOwnBrowser: { agent: 'Firefox' },
  RenameOwnPasskey: { passkeyId: 'p', name: 'Other' },
}
const ACTS = OwnAccountService.methods.filter(({ input }) =>
  input.fields.some(({ name }) => name === 'change'),
)
type Call = (request: object, options: typeof TIMEOUT) => Promise<unknown>
const act = ({ localName, name }: (typeof ACTS)[number], change: Change) =>
  (own() as unknown as Record<string, Call>)[localName]?.({ change, ...FIELDS[name] }, TIMEOUT)
const ENDINGS = {
  'the account was deactivated':
    "UPDATE directory.account SET state = 'inactive', token_epoch = token_epoch + 1 WHERE user_id = 'alice'",
  'the password was changed elsewhere':
    "UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'alice'",
  'the organization was deactivated':
    "UPDATE directory.organization SET state = 'inactive', token_epoch = token_epoch + 1",
}
const written = async () => [await fixture.directory.digests(), await fixture.directory.audited()]

describe('an act in a session that ends between the check of the page and the act', () => {
  it('is every method of the service but those that only read', () => {
    const others = OwnAccountService.methods.filter((method) => !ACTS.includes(method))
    expect(others.map(({ name }) => name)).toEqual(['FindOwnAccount', 'ListOwnActivity', 'FindEmailChange'])
  })

  describe.each(Object.entries(ENDINGS))('because %s', (_, ending) => {
    afterEach(async () => {
      await fixture.directory.rows("UPDATE directory.account SET state = 'active' WHERE user_id = 'alice'")
      await fixture.directory.rows("UPDATE directory.organization SET state = 'active'")
    })

    it.each(ACTS.map((method) => [method.name, method] as const))('is refused: %s', async (_name, method) => {
      const session = { userId: 'alice', ...(await epochs()) }
      await fixture.directory.rows(ending)
      const before = await written()
      await expect(act(method, session)).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        message: REFUSED,
      })
      expect(await written()).toEqual(before)
    })
  })

  it('is done in a session that goes on: a consent is recorded and withdrawn', async () => {
    const change = { userId: 'alice', ...(await epochs()) }
    const clientId = 'web'
    await own().recordOwnConsent({ change, clientId, scopes: ['openid'] }, TIMEOUT)
    expect((await fixture.accounts.findConsent({ userId: 'alice', clientId }, TIMEOUT)).scopes).toEqual([
      'openid',
    ])
    await own().withdrawOwnConsent({ change, clientId }, TIMEOUT)
    expect((await fixture.accounts.findConsent({ userId: 'alice', clientId }, TIMEOUT)).scopes).toEqual([])
  })
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

import { randomBytes } from 'node:crypto'
import { rpcClient } from '@signet/grpc/client'
import { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AccountStore } from '../src/accounts/account.repository.ts'
import { UserGrantStore } from '../src/grants/user-grant.repository.ts'
import { IdentityLinkStore } from '../src/identity-providers/identity-link.repository.ts'
import { IdentityProviderStore } from '../src/identity-providers/identity-provider.repository.ts'
import { sealOwnKeys } from '../src/identity-providers/own-keys.ts'
import { ProviderTestStore } from '../src/identity-providers/provider-test.repository.ts'
import { hashOfSecret, TEST_MS } from '../src/identity-providers/provider-tests.ts'
import { ProviderUseStore } from '../src/identity-providers/provider-use.repository.ts'
import { startDirectoryIn, TIMEOUT } from './rpc-fixture.ts'
import { ISSUER, type UpstreamFixture, upstreamFixture } from './upstream-fixture.ts'

let fixture: UpstreamFixture
beforeAll(async () => {
  fixture = await upstreamFixture()
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  await fixture.directory.rows('DELETE FROM directory.identity_link')
  await fixture.directory.rows("UPDATE directory.account SET state = 'active'")
  await fixture.directory.rows("UPDATE directory.organization SET state = 'active'")
  await fixture.directory.rows('DELETE FROM directory.account_totp')
  await fixture.directory.rows(
    "DELETE FROM directory.account WHERE organization_id = 'acme' AND user_name LIKE 'new%'",
  )
  await fixture.setPolicy(undefined)
  await fixture.setProvider()
})

const resolve: UpstreamFixture['resolve'] = (subject, more) => fixture.resolve(subject, more)
const CREATES = { creationAllowed: true }
const person = async (userId: string) => fixture.owned.findOwnAccount({ userId }, TIMEOUT)
const addTotp = (userId: string) =>
  fixture.directory.rows("INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ($1, '\\x01')", [
    userId,
  ])
const owner = (userId: string, epoch = 0n) => ({ userId, userEpoch: epoch, organizationEpoch: 0n })

async function newUserId(subject: string, more: Parameters<typeof resolve>[1] = {}): Promise<string> {
  const { account, refusedRule } = await resolve(subject, more)
  if (account === undefined) throw new Error(`refused: ${refusedRule}`)
  return account.userId
}

describe('the sign-in of a linked person', () => {
  it('finds the account by provider, issuer and subject, and names the link as its factor', async () => {
    const linkId = await fixture.addLink('linked', 's1')
    const found = await resolve('s1', { profile: { email: 'linked@idp.example' } })
    expect(found.account).toMatchObject({
      ...{ userId: 'linked', organizationId: 'acme', secondFactorRequired: false },
      ...{ secondFactorEnrolmentRequired: false, passwordChangeRequired: false },
    })
    expect(found).toMatchObject({ factor: `link:${linkId}`, amr: [], noRolesOffered: true })
    const { links } = await fixture.upstream.listOwnLinks({ userId: 'linked' }, TIMEOUT)
    expect(links).toMatchObject([
      {
        linkId,
        providerId: 'corporate',
        providerName: 'Provider corporate',
        displayName: 'linked@idp.example',
        usable: true,
      },
    ])
    expect(links[0]?.lastUsedAt).toBeDefined()
  })

  it.each([
    ['another subject', 's2', {}],
    ['the subject in another case', 'S1', {}],
    ['another issuer', 's1', { issuer: `${ISSUER}/` }],
    ['another provider', 's1', { providerId: 'second' }],
  ])('is refused for %s', async (_, subject, more) => {
    await fixture.setProvider('second')
    await fixture.addLink('linked', 's1')
    expect(await resolve(subject, more)).toMatchObject({ refusedRule: 'no_account' })
  })

  it('is refused in another organization than that of the provider', async () => {
    await fixture.addLink('linked', 's1')
    expect(await resolve('s1', { organizationId: 'other' })).toMatchObject({
      refusedRule: 'organization_other',
    })
    expect((await resolve('s1', { organizationId: 'acme' })).account?.userId).toBe('linked')
  })

  it('is refused by a provider of another organization than that of the account', async () => {
    await fixture.addLink('foreign', 's1')
    expect(await resolve('s1')).toMatchObject({ refusedRule: 'account_not_usable' })
  })

  it('has the methods of the provider only where it is trusted for them', async () => {
    await fixture.addLink('linked', 's1')
    const amr = ['pwd', 'mfa', 'rsa', 'pwd']
    expect((await resolve('s1', { amr })).amr).toEqual([])
    await fixture.setProvider('corporate', { trustsMethods: true })
    expect((await resolve('s1', { amr })).amr).toEqual(['pwd', 'mfa'])
  })

  it('demands a second factor of forceMfa, and none of forceMfaLocalOnly', async () => {
    await fixture.addLink('linked', 's1')
    await fixture.setPolicy({ forceMfaLocalOnly: true })
    expect((await resolve('s1')).account?.secondFactorEnrolmentRequired).toBe(false)
    await fixture.setPolicy({ forceMfa: true })
    expect((await resolve('s1')).account?.secondFactorEnrolmentRequired).toBe(true)
    // Not what an untrusted provider claims.
    expect((await resolve('s1', { amr: ['mfa'] })).account?.secondFactorEnrolmentRequired).toBe(true)
    await fixture.setProvider('corporate', { trustsMethods: true })
    expect((await resolve('s1', { amr: ['mfa'] })).account?.secondFactorEnrolmentRequired).toBe(false)
  })

  it('asks a person with a second factor for it', async () => {
    await fixture.addLink('linked', 's1')
    await addTotp('linked')
    expect((await resolve('s1')).account?.secondFactorRequired).toBe(true)
    await fixture.setProvider('corporate', { trustsMethods: true })
    expect((await resolve('s1', { amr: ['mfa'] })).account?.secondFactorRequired).toBe(false)
  })

  it('refuses every person where allowExternalIdp is false', async () => {
    await fixture.addLink('linked', 's1')
    await fixture.setPolicy({ allowExternalIdp: false })
    expect(await resolve('s1')).toMatchObject({ refusedRule: 'provider_not_usable' })
  })

  it('refuses every person by a provider that idps leaves out', async () => {
    await fixture.addLink('linked', 's1')
    await fixture.setPolicy({ idps: [{ idpId: 'second' }] })
    expect(await resolve('s1')).toMatchObject({ refusedRule: 'provider_not_usable' })
    await fixture.setPolicy({ idps: [{ idpId: 'corporate' }] })
    expect((await resolve('s1')).account?.userId).toBe('linked')
  })

  it('is refused by a deactivated provider at every entrance (ZITADEL CVE-2025-64717)', async () => {
    await fixture.addLink('linked', 's1')
    await fixture.setProvider('corporate', { state: 'inactive', creationAllowed: true, linkingAllowed: true })
    const refused = { refusedRule: 'provider_not_usable' }
    expect(await resolve('s1')).toMatchObject(refused)
    expect(await resolve('s2', { create: true })).toMatchObject(refused)
    const link = { owner: owner('bob'), assertion: fixture.assertion('s2') }
    expect(await fixture.upstream.linkUpstream(link, TIMEOUT)).toMatchObject(refused)
    expect(await fixture.federation.findProvider({ providerId: 'corporate' }, TIMEOUT)).toMatchObject({
      usable: false,
    })
    const { links } = await fixture.upstream.listOwnLinks({ userId: 'linked' }, TIMEOUT)
    expect(links).toMatchObject([{ usable: false }])
  })
})

describe('a person without a link', () => {
  it.each([
    [false, false, false, { refusedRule: 'no_account' }],
    [false, false, true, { refusedRule: 'no_account' }],
    [true, false, false, { unlinked: { mayLink: true, mayCreate: false } }],
    [true, false, true, { unlinked: { mayLink: true, mayCreate: false } }],
    [true, true, false, { unlinked: { mayLink: true, mayCreate: true } }],
    [true, true, true, { factor: expect.stringMatching(/^link:/) }],
    [false, true, false, { factor: expect.stringMatching(/^link:/) }],
  ])(
    'with linking %s, creation %s and create %s',
    async (linkingAllowed, creationAllowed, create, expected) => {
      await fixture.setProvider('corporate', { linkingAllowed, creationAllowed })
      expect(await resolve('fresh', { create, profile: { userName: 'new1' } })).toMatchObject(expected)
    },
  )

  it('never gets an account by its address (Logto CVE-2026-15611)', async () => {
    await fixture.setProvider('corporate', { ...CREATES, trustedEmailDomains: ['mail.example'] })
    const profile = { userName: 'new2', email: 'victim@mail.example', emailVerified: true }
    const userId = await newUserId('attacker', { profile })
    expect(userId).not.toBe('victim')
    // One verified address is that of one account.
    expect(await person(userId)).toMatchObject({ email: 'victim@mail.example', emailVerified: false })
  })

  it('never gets the account that has the user name', async () => {
    await fixture.setProvider('corporate', CREATES)
    expect(await resolve('attacker', { profile: { userName: 'VICTIM' } })).toMatchObject({
      refusedRule: 'user_name_taken',
    })
  })

  it('gets no account that another person made with the address before (ZITADEL CVE-2026-105207)', async () => {
    await fixture.setProvider('corporate', { linkingAllowed: true, trustedEmailDomains: ['mail.example'] })
    const profile = { email: 'victim@mail.example', emailVerified: true }
    expect(await resolve('honest', { profile })).toMatchObject({ unlinked: { mayLink: true } })
    expect((await fixture.upstream.listOwnLinks({ userId: 'victim' }, TIMEOUT)).links).toEqual([])
  })

  it('never gets the verified address of another person as its user name', async () => {
    await fixture.setProvider('corporate', { ...CREATES, trustedEmailDomains: ['mail.example'] })
    const profile = { userName: 'victim@mail.example', email: 'victim@mail.example', emailVerified: true }
    expect(await resolve('s7', { profile })).toMatchObject({ refusedRule: 'user_name_taken' })
    const named = await fixture.directory.rows(
      "SELECT FROM directory_read.account_claims_v1 WHERE user_name = 'victim@mail.example'",
    )
    expect(named).toEqual([])
  })

  it('gets names that no signature covers at its making alone, and no others of it', async () => {
    await fixture.setProvider('corporate', { ...CREATES, updatesProfile: true })
    const claimed = { claimedGivenName: 'Alice', claimedFamilyName: 'Liddell' }
    const userId = await newUserId('apple1', { profile: { email: 'apple1@mail.example' }, ...claimed })
    const made = { givenName: 'Alice', familyName: 'Liddell', displayName: 'Alice Liddell' }
    expect(await person(userId)).toMatchObject({
      ...{ userName: 'apple1', profile: made, email: 'apple1@mail.example', emailVerified: false },
    })
    await resolve('apple1', { claimedGivenName: 'The', claimedFamilyName: 'Administrator' })
    expect(await person(userId)).toMatchObject({ profile: made })
    // A name of the provider counts, and is not mixed with the others.
    const named = await newUserId('apple2', { profile: { userName: 'apple2', givenName: 'Al' }, ...claimed })
    expect((await person(named)).profile).toMatchObject({ givenName: 'Al', displayName: 'Al' })
    expect((await person(named)).profile).not.toMatchObject({ familyName: 'Liddell' })
  })

  it('gets an account in the organization of the provider with what the assertion says', async () => {
    await fixture.setProvider('corporate', { ...CREATES, trustedEmailDomains: ['acme.example'] })
    const profile = {
      ...{
        userName: 'new3@elsewhere.example',
        givenName: 'Nora',
        familyName: 'New',
        preferredLanguage: 'de',
      },
      ...{ email: 'new3@acme.example', emailVerified: true },
    }
    const userId = await newUserId('s3', { profile })
    expect(await person(userId)).toMatchObject({
      // The domain of the name is none of the organization.
      userName: 'new3',
      ...{ email: 'new3@acme.example', emailVerified: true, hasPassword: false },
      profile: { givenName: 'Nora', familyName: 'New', displayName: 'Nora New', preferredLanguage: 'de' },
    })
    expect(await newUserId('s3')).toBe(userId)
  })

  it.each([
    ['of an untrusted domain', { email: 'new4@mail.example', emailVerified: true }, {}],
    ['that the provider does not verify', { email: 'new4@acme.example', emailVerified: false }, {}],
    [
      'of another claim',
      { email: 'new4@acme.example', emailVerified: true },
      { mappedClaims: { email: 'upn' } },
    ],
    ['of a subdomain', { email: 'new4@x.acme.example', emailVerified: true }, {}],
  ])('has no verified address %s', async (_, profile, settings) => {
    await fixture.setProvider('corporate', { ...CREATES, trustedEmailDomains: ['acme.example'], ...settings })
    const userId = await newUserId('s4', { profile: { userName: 'new4', ...profile } })
    expect(await person(userId)).toMatchObject({ email: profile.email, emailVerified: false })
  })

  it.each([
    [{ userName: '', email: 'new5@mail.example' }, 'new5'],
    [{ userName: 'new\u200b6', email: '' }, 'new-subject'],
    [{ userName: 'new7@acme.example', email: '' }, 'new7@acme.example'],
  ])('gets the user name of %j', async (profile, userName) => {
    await fixture.setProvider('corporate', CREATES)
    expect(await person(await newUserId('new-subject', { profile }))).toMatchObject({ userName })
  })

  it.each([
    ['+49 30 1234', '+49 30 1234'],
    ['030 1234', ''],
  ])('has the number %j as %j', async (phone, stored) => {
    await fixture.setProvider('corporate', CREATES)
    const userId = await newUserId('s9', { profile: { userName: 'new9', phone, phoneVerified: true } })
    expect(await person(userId)).toMatchObject({ phone: stored })
  })

  it('is refused by a network that asked for 100 accounts in vain within an hour', async () => {
    await fixture.setProvider('corporate', CREATES)
    const refusedRule = async (subject: string, userName: string) => {
      const assertion = fixture.assertion(subject, { profile: { userName } })
      return (await fixture.upstream.resolveUpstream({ assertion, clientAddress: '192.0.2.9' }, TIMEOUT))
        .refusedRule
    }
    for (let at = 0; at < 100; at += 1) expect(await refusedRule('taken', 'VICTIM')).toBe('user_name_taken')
    expect(await refusedRule('late', 'new10')).toBe('too_many_attempts')
    fixture.directory.clock.advance(3_600_001)
    expect(await refusedRule('late', 'new10')).toBe('')
  })

  it('gets one account by concurrent first sign-ins at two replicas', async () => {
    await fixture.setProvider('corporate', CREATES)
    const assertion = fixture.assertion('race', { profile: { userName: 'new8' } })
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        fixture.clients[at % 2]?.resolveUpstream({ assertion, clientAddress: '192.0.2.8' }, TIMEOUT),
      ),
    )
    const ids = new Set(found.map((one) => one?.account?.userId))
    expect([...ids]).toEqual([expect.any(String)])
  })
})

describe('the profile of a linked person', () => {
  const profile = { givenName: 'Lin', displayName: 'Lin K', email: 'new@mail.example', emailVerified: true }

  it('stays unless the provider updates profiles', async () => {
    await fixture.addLink('linked', 's1')
    await resolve('s1', { profile })
    expect(await person('linked')).toMatchObject({
      profile: { givenName: 'A', displayName: 'A B' },
      email: '',
    })
  })

  it('gets names, and no address without proof (better-auth CVE-2026-53514)', async () => {
    await fixture.addLink('linked', 's1')
    await fixture.setProvider('corporate', { updatesProfile: true })
    await resolve('s1', { profile })
    const changed = { profile: { givenName: 'Lin', familyName: 'B', displayName: 'Lin K' } }
    expect(await person('linked')).toMatchObject({ ...changed, email: '' })
    await fixture.setProvider('corporate', { updatesProfile: true, trustedEmailDomains: ['mail.example'] })
    await resolve('s1', { profile: { ...profile, emailVerified: false } })
    expect(await person('linked')).toMatchObject({ email: '' })
    await resolve('s1', { profile })
    expect(await person('linked')).toMatchObject({ email: 'new@mail.example', emailVerified: true })
    // The address of another account stays there.
    await resolve('s1', { profile: { ...profile, email: 'victim@mail.example' } })
    expect(await person('linked')).toMatchObject({ email: 'new@mail.example' })
  })
})

describe('roles of groups', () => {
  const roles = async (userId: string) => {
    const grants = new UserGrantStore(fixture.directory.owner)
    return (await grants.findOfUser({ userId, projectId: 'portal' }))?.roles
  }
  const mapped = {
    groupsClaim: 'groups',
    roleMappings: [
      { group: 'staff', projectId: 'portal', roles: ['admin'] },
      { group: 'staff', projectId: 'elsewhere', roles: ['admin'] },
      { group: 'gone', projectId: 'portal', roles: ['no-such-role'] },
    ],
  }

  it('are kept in step at each sign-in, and other roles stay', async () => {
    await fixture.directory.rows(
      "INSERT INTO directory.project_role (project_id, role_key, display_name) VALUES ('portal', 'own', 'Own') ON CONFLICT DO NOTHING",
    )
    await fixture.addLink('linked', 's1')
    await fixture.setProvider('corporate', mapped)
    await resolve('s1', { groups: ['staff', 'gone'] })
    expect(await roles('linked')).toEqual(['admin'])
    await fixture.directory.rows(
      "INSERT INTO directory.user_grant_role (user_id, project_id, role_key) VALUES ('linked', 'portal', 'own')",
    )
    await resolve('s1', { groups: ['STAFF'] })
    expect(await roles('linked')).toEqual(['own'])
    await fixture.directory.rows(
      "DELETE FROM directory.user_grant_role WHERE user_id = 'linked' AND role_key = 'own'",
    )
    await resolve('s1', { groups: ['staff'] })
    await resolve('s1', { groups: [] })
    expect(await roles('linked')).toBeUndefined()
  })
})

describe('linking', () => {
  const link = (userId: string, subject: string, more: object = {}) =>
    fixture.upstream.linkUpstream(
      { owner: owner(userId), assertion: { ...fixture.assertion(subject), ...more } },
      TIMEOUT,
    )

  it('lets the identity sign in afterwards, and is repeated without effect', async () => {
    await fixture.setProvider('corporate', { linkingAllowed: true })
    expect(await link('bob', 's1')).toMatchObject({ refusedRule: '' })
    expect(await link('bob', 's1')).toMatchObject({ refusedRule: '' })
    expect((await resolve('s1')).account?.userId).toBe('bob')
    expect((await fixture.upstream.listOwnLinks({ userId: 'bob' }, TIMEOUT)).links).toHaveLength(1)
  })

  it('is refused for the identity of another account, another organization, and where the provider does not link', async () => {
    await fixture.addLink('linked', 's1')
    expect(await link('bob', 's2')).toMatchObject({ refusedRule: 'linking_not_allowed' })
    await fixture.setProvider('corporate', { linkingAllowed: true })
    expect(await link('bob', 's1')).toMatchObject({ refusedRule: 'linked_to_another_account' })
    expect(await link('foreign', 's2')).toMatchObject({ refusedRule: 'other_organization' })
  })

  it('is refused in a session that has ended', async () => {
    await fixture.setProvider('corporate', { linkingAllowed: true })
    const request = { owner: owner('bob', 7n), assertion: fixture.assertion('s1') }
    await expect(fixture.upstream.linkUpstream(request, TIMEOUT)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  })

  it('gives an identity to one of two people who link it at once', async () => {
    await fixture.setProvider('corporate', { linkingAllowed: true })
    const answers = await Promise.all(
      ['bob', 'victim', 'bob', 'victim'].map((userId, at) =>
        fixture.clients[at % 2]?.linkUpstream(
          { owner: owner(userId), assertion: fixture.assertion('s9') },
          TIMEOUT,
        ),
      ),
    )
    const linked = ['bob', 'victim'].filter((_, at) => answers[at]?.refusedRule === '')
    expect(linked).toHaveLength(1)
    expect((await resolve('s9')).account?.userId).toBe(linked[0])
  })
})

describe('deleting an own link', () => {
  const remove = (userId: string, linkId: string) =>
    fixture.upstream.deleteOwnLink({ owner: owner(userId), linkId }, TIMEOUT)

  it('is refused for the last way in', async () => {
    const linkId = await fixture.addLink('linked', 's1')
    expect(await remove('linked', linkId)).toMatchObject({ refusedRule: 'no_other_way_in' })
    // A link of an inactive provider is no way in.
    await fixture.setProvider('second', { state: 'inactive' })
    await fixture.addLink('linked', 's1', 'second')
    expect(await remove('linked', linkId)).toMatchObject({ refusedRule: 'no_other_way_in' })
    await fixture.setProvider('second')
    expect(await remove('linked', linkId)).toMatchObject({ refusedRule: '' })
    expect(await resolve('s1')).toMatchObject({ refusedRule: 'no_account' })
  })

  it('leaves one of two links that are deleted at once', async () => {
    await fixture.setProvider('second')
    const ids = [await fixture.addLink('linked', 's1'), await fixture.addLink('linked', 's1', 'second')]
    const answers = await Promise.all(
      ids.map((linkId, at) =>
        fixture.clients[at]?.deleteOwnLink({ owner: owner('linked'), linkId }, TIMEOUT),
      ),
    )
    expect(answers.map((answer) => answer?.refusedRule).sort()).toEqual(['', 'no_other_way_in'])
  })

  it('counts a password that the login policy accepts, and does nothing to links of others', async () => {
    const linkId = await fixture.addLink('bob', 's1')
    await remove('victim', linkId)
    expect((await resolve('s1')).account?.userId).toBe('bob')
    await fixture.setPolicy({ allowUsernamePassword: false })
    expect(await remove('bob', linkId)).toMatchObject({ refusedRule: 'no_other_way_in' })
    await fixture.setPolicy(undefined)
    expect(await remove('bob', linkId)).toMatchObject({ refusedRule: '' })
  })
})

describe('of providers, account states and flags', () => {
  const TABLE = ['active', 'inactive'].flatMap((provider) =>
    ['active', 'inactive', 'locked'].flatMap((account) =>
      ['active', 'inactive'].flatMap((organization) =>
        [true, false].flatMap((allowed) =>
          [true, false].map((linked) => ({ provider, account, organization, allowed, linked })),
        ),
      ),
    ),
  )

  it('only the cell in which each is right signs in', async () => {
    for (const cell of TABLE) {
      await fixture.directory.rows('DELETE FROM directory.identity_link')
      await fixture.setProvider('corporate', { state: cell.provider as 'active' })
      await fixture.setPolicy({ allowExternalIdp: cell.allowed })
      await fixture.directory.rows("UPDATE directory.account SET state = $1 WHERE user_id = 'linked'", [
        cell.account,
      ])
      await fixture.directory.rows(
        "UPDATE directory.organization SET state = $1 WHERE organization_id = 'acme'",
        [cell.organization],
      )
      if (cell.linked) await fixture.addLink('linked', 's1')
      const { account, unlinked } = await resolve('s1')
      const isRight =
        cell.allowed &&
        cell.linked &&
        [cell.provider, cell.account, cell.organization].every((one) => one === 'active')
      expect([JSON.stringify(cell), account?.userId, unlinked]).toEqual([
        JSON.stringify(cell),
        isRight ? 'linked' : undefined,
        undefined,
      ])
    }
  })
})

it('a provider that is deactivated with the sessions of its people leaves none that began before', async () => {
  await fixture.addLink('linked', 's1')
  const assertion = fixture.assertion('s1')
  for (let round = 0; round < 10; round++) {
    await fixture.setProvider()
    const signIns = Array.from({ length: 8 }, async (_, at) =>
      fixture.clients[at % 2]?.resolveUpstream({ assertion }, TIMEOUT),
    )
    const ended = await fixture.directory.owner.transaction(async (tx) => {
      const providers = new IdentityProviderStore(tx)
      await providers.setState('corporate', 'inactive', fixture.directory.clock.now())
      return providers.raiseEpochsOfLinked('corporate')
    })
    const [{ epoch } = { epoch: 0 }] = ended as readonly { epoch: number }[]
    const epochs = (await Promise.all(signIns)).flatMap((answer) => answer?.account?.userEpoch ?? [])
    expect(epochs.filter((made) => Number(made) >= epoch)).toEqual([])
    expect(await resolve('s1')).toMatchObject({ refusedRule: 'provider_not_usable' })
  }
})

const waiting = () =>
  fixture.directory.rows(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )

it('a link that is deleted while its person signs in finds the account no more', async () => {
  const linkId = await fixture.addLink('linked', 's1')
  let signIn: ReturnType<typeof resolve> | undefined
  await fixture.directory.owner.transaction(async (tx) => {
    const links = new IdentityLinkStore(tx)
    await links.lockAndCount('linked')
    await links.delete('linked', linkId)
    await new AccountStore(tx).raiseEpoch('linked')
    signIn = resolve('s1')
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1))
  })
  expect(await signIn).toMatchObject({ refusedRule: 'no_account' })
})

describe('a test of a provider', () => {
  const OWNED = { id: 'test', providerId: 'corporate', userId: 'bob' }
  const now = () => fixture.directory.clock.now()
  const finish = async (claims: string) => {
    const tests = new ProviderTestStore(fixture.directory.owner)
    const expiresAt = new Date(now().getTime() + TEST_MS)
    await tests.add({ ...OWNED, tokenHash: hashOfSecret('token'), expiresAt })
    await fixture.upstream.beginProviderTest({ token: 'token', state: 'state' }, TIMEOUT)
    const documents = [{ name: 'id_token', claims }]
    await fixture.upstream.finishProviderTest(
      { state: 'state', assertion: fixture.assertion('s1'), documents },
      TIMEOUT,
    )
    return tests
  }

  it('keeps claims with characters that PostgreSQL does not take', async () => {
    const tests = await finish(
      String.raw`{"a\u0000":["\ud800\u0000","\\u0000","\ud83d\ude00"],"__proto__":1}`,
    )
    const { documents } = Object((await tests.take(OWNED, now())) ?? {})
    expect(JSON.stringify(documents)).toBe(
      String.raw`{"id_token":{"a�":["��","\\u0000","😀"],"__proto__":1}}`,
    )
  })

  it('leaves no claims behind when its result is not read', async () => {
    const tests = await finish('{}')
    await tests.deleteExpired(now())
    expect(await tests.stateOf(OWNED, now())).toBe('done')
    await tests.deleteExpired(new Date(now().getTime() + TEST_MS))
    expect(await tests.stateOf(OWNED, now())).toBeUndefined()
  })
})

it('FindProvider hands the secret to federation, and claims by the names of the contract', async () => {
  await fixture.setProvider('corporate', {
    ...{ requiredClaims: { hd: 'acme.example' }, mappedClaims: { userName: 'upn' }, groupsClaim: 'groups' },
  })
  expect(await fixture.federation.findProvider({ providerId: 'corporate' }, TIMEOUT)).toMatchObject({
    ...{
      organizationId: 'acme',
      type: 'oidc',
      usable: true,
      clientSecret: 'a-secret',
      groupsClaim: 'groups',
    },
    requiredClaims: [{ name: 'hd', value: 'acme.example' }],
    mappedClaims: [{ name: 'user_name', value: 'upn' }],
  })
  // A version that does not know the way by a key gets no secret that it could send.
  await fixture.setProvider('corporate', { clientAuthentication: 'private_key_jwt' })
  expect(await fixture.federation.findProvider({ providerId: 'corporate' }, TIMEOUT)).toMatchObject({
    ...{ clientAuthentication: 'private_key_jwt', clientKey: 'a-secret', clientSecret: '' },
  })
  await expect(fixture.federation.findProvider({ providerId: 'none' }, TIMEOUT)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

it('FindProvider hands the keys of Signet at a provider of SAML to federation', async () => {
  const ofSaml = { type: 'saml', ssoUrl: 'https://idp.example/sso', certificates: ['AAAA'] } as const
  await fixture.setProvider('saml', {
    ...{ ...ofSaml, assertionEncryption: 'required', signAuthnRequests: true, ownCertificates: ['a', 'b'] },
    sealedOwnKeys: sealOwnKeys('saml', ['k1', 'k2'], {
      ...{ masterKeys: fixture.directory.masterKeys, random: randomBytes },
    }),
  })
  expect(await fixture.federation.findProvider({ providerId: 'saml' }, TIMEOUT)).toMatchObject({
    ...{ assertionEncryption: 'required', signAuthnRequests: true },
    ...{ ownCertificates: ['a', 'b'], ownKeys: ['k1', 'k2'] },
  })
})

describe('the day of the latest sign-in by a provider', () => {
  const lastUse = async (id = 'corporate') => (await fixture.providers.find(id))?.lastUsedOn
  const today = () => fixture.directory.clock.now().toISOString().slice(0, 10)
  beforeEach(() => fixture.directory.rows('DELETE FROM directory.identity_provider_last_use'))

  it('is written beside sign-ins, and neither for a refused one nor for another provider', async () => {
    const network = createInProcessNetwork({ onFailure: () => undefined })
    const replica = await startDirectoryIn(network, fixture.directory)
    network.serve('directory', replica.rpc ?? [])
    const client = rpcClient(UpstreamAccountService, network.transport('login', 'directory'))
    const signIn = (subject: string, more: object = {}) =>
      client.resolveUpstream({ assertion: fixture.assertion(subject, more) }, TIMEOUT)
    await fixture.setProvider('second')
    await fixture.addLink('linked', 's1')
    expect((await signIn('stranger', { providerId: 'second' })).refusedRule).toBe('no_account')
    expect((await signIn('s1')).account?.userId).toBe('linked')
    expect(await lastUse()).toBeNull()
    await replica.stop()
    expect([await lastUse(), await lastUse('second')]).toEqual([today(), null])
  })

  it('is the latest that a replica records, and goes with its provider', async () => {
    const store = new ProviderUseStore(fixture.directory.owner)
    await Promise.all(
      ['2026-03-02', '2026-03-01', '2026-03-03', '2026-03-02'].map((day) =>
        store.record(new Date(day), ['none', 'corporate']),
      ),
    )
    expect(await lastUse()).toBe('2026-03-03')
    await fixture.setProvider('third')
    await store.record(new Date('2026-03-03'), ['third'])
    await fixture.providers.delete('third')
    expect(await lastUse('third')).toBeUndefined()
    // Refusals of earlier tests are written later.
    const before = await fixture.directory.digests(['refusal'])
    await store.record(new Date('2026-03-04'), ['third'])
    expect(await fixture.directory.digests(['refusal'])).toEqual(before)
  })
})

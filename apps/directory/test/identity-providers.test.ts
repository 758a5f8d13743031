import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createBrandingReader } from '@signet/directory-reader/branding'
import { createInitiatingProviderReader } from '@signet/directory-reader/initiating-providers'
import { createSignInPageReader } from '@signet/directory-reader/sign-in-page'
import { openValue } from '@signet/platform/sealing/sealed-value'
import { PERSISTENT, TRANSIENT } from '@signet/protocol/saml-provider'
import { pngSample } from '@signet/testing/branding-samples'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IdentityProviderStore } from '../src/identity-providers/identity-provider.repository.ts'
import { isOwnKey, openOwnKeys } from '../src/identity-providers/own-keys.ts'
import { ProviderUseStore } from '../src/identity-providers/provider-use.repository.ts'
import { identityProviderPurpose } from '../src/sealing/purposes.ts'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const PROFILE = { givenName: 'A', familyName: 'B' }
const OWNER = 'acme-owner'
let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
  const organization = acme(document)
  organization.domains = ['acme.example']
  organization.users?.push(
    { id: 'bob', userName: 'bob', profile: PROFILE },
    { id: 'carol', userName: 'carol', profile: PROFILE, password: PASSWORD },
    { id: 'root', userName: 'root', profile: PROFILE, password: PASSWORD, roles: ['IAM_OWNER'] },
  )
  document.organizations.push({
    id: 'other',
    name: 'Other',
    primaryDomain: 'other.localhost',
    users: [{ id: 'foreign', userName: 'foreign', profile: PROFILE }],
    projects: [{ id: 'foreign-shop', name: 'Shop', roles: [{ key: 'admin', displayName: 'Admin' }] }],
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set(OWNER, { roles: ['ORG_OWNER acme'] })
  management.bearers.set('stranger', { roles: ['ORG_OWNER other'] })
  management.bearers.set('manager', { roles: ['ORG_USER_MANAGER acme'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  await management.directory.rows('DELETE FROM directory.identity_provider')
  await management.directory.rows("DELETE FROM directory.organization_policy WHERE kind = 'login'")
  management.published.splice(0)
})

const newKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' })
}
const KEY = newKey()
const newRsaKey = () =>
  JSON.stringify(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }))
function publicHalf(key: string): string {
  const { d, ...members } = JSON.parse(key)
  return JSON.stringify(members)
}

const COLLECTION = '/identity-providers'
const CORPORATE = {
  ...{ id: 'corporate', organizationId: 'acme', name: 'Corporate', issuer: 'https://corporate.example' },
  ...{ clientId: 'signet', clientSecret: 'a-secret' },
}
const create = (more: object = {}, bearer = 'owner') =>
  management.call('POST', COLLECTION, { ...CORPORATE, ...more }, bearer)
const change = (changes: object, bearer = 'owner') =>
  management.call('PATCH', `${COLLECTION}/corporate`, changes, bearer)
const link = (userId: string, subject: string, bearer = 'owner', more: object = {}) =>
  management.call(
    'POST',
    `/users/${userId}/identity-links`,
    { providerId: 'corporate', subject, ...more },
    bearer,
  )

async function storedSecret(id = 'corporate') {
  const { masterKeys, owner } = management.directory
  const sealed = (await new IdentityProviderStore(owner).find(id))?.sealedSecret
  return sealed && openValue(masterKeys, sealed, identityProviderPurpose(id))?.toString('utf8')
}

describe('a provider', () => {
  it('is created with defaults, and shows that it has a secret and not which', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{
        id: 'corporate',
        type: 'oidc',
        preset: null,
        hasSecret: true,
        state: 'active',
        subjectClaim: 'sub',
      },
      ...{ clientAuthentication: 'client_secret_basic', scopes: ['openid', 'profile', 'email'] },
      ...{
        linkingAllowed: false,
        creationAllowed: false,
        trustsMethods: false,
        crossAppAccess: false,
        trustedEmailDomains: [],
      },
    })
    expect(JSON.stringify(body)).not.toContain('a-secret')
    expect(await storedSecret()).toBe('a-secret')
    const read = await management.call('GET', `${COLLECTION}/corporate`, undefined, OWNER)
    expect(read.body).toEqual(body)
    expect((await create()).status).toBe(409)
  })

  it('gets what its preset says', async () => {
    const { issuer, ...plain } = CORPORATE
    const google = await management.call('POST', COLLECTION, { ...plain, id: 'g', preset: 'google' })
    expect(google.body).toMatchObject({ issuer: 'https://accounts.google.com', subjectClaim: 'sub' })
    const tenant = '0b1c2d3e-0000-4000-8000-000000000001'
    const entra = await create({
      ...{ id: 'e', preset: 'entra', issuer: `https://login.microsoftonline.com/${tenant}/v2.0` },
    })
    expect(entra.body).toMatchObject({ subjectClaim: 'oid', requiredClaims: { tid: tenant } })
    const unnamed = await management.call('POST', COLLECTION, { ...plain, id: 'o', preset: 'okta' })
    expect([unnamed.status, unnamed.body.message]).toEqual([400, 'issuer: is required: the preset has none'])
  })

  it.each([
    [{ issuer: 'http://corporate.example' }, 'issuer: must be an https URL'],
    [{ issuer: 'https://a:b@corporate.example' }, 'issuer: must be an https URL'],
    [{ issuer: 'https://corporate.example?x' }, 'issuer: must be an https URL'],
    [{ clientSecret: undefined }, 'clientSecret: is required for client_secret_basic'],
    [{ clientAuthentication: 'none' }, 'clientSecret: must be left out'],
    [{ scopes: ['email'] }, 'scopes: must include openid'],
    [{ subjectClaim: 'email' }, 'subjectClaim: must be a claim that the provider never gives'],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'requiredClaims: must have tid'],
    [{ issuer: 'https://login.microsoftonline.com/Organizations/v2.0' }, 'requiredClaims: must have tid'],
    [
      { roleMappings: [{ group: 'g', projectId: 'portal', roles: ['admin'] }] },
      'groupsClaim: is required by roleMappings',
    ],
    [
      { groupsClaim: 'groups', roleMappings: [{ group: 'g', projectId: 'portal', roles: ['none'] }] },
      'roleMappings: must name roles of projects of the organization; there is no none in portal',
    ],
    [
      { groupsClaim: 'groups', roleMappings: [{ group: 'g', projectId: 'foreign-shop', roles: ['admin'] }] },
      'roleMappings: must name roles of projects of the organization; there is no admin in foreign-shop',
    ],
    [{ mappedClaims: { emailVerified: 'x' } }, 'mappedClaims'],
    [{ preset: 'myspace' }, 'preset'],
  ])('is refused with its rule: %j', async (more, rule) => {
    const { status, body } = await create(more)
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })

  it('may be reached by http on a loopback host', async () => {
    expect((await create({ issuer: 'http://localhost:9000' })).status).toBe(201)
  })

  it('hands its secret to no other issuer than the one that it was given for (GHSA-c25h-c27q-5qpv)', async () => {
    await create()
    const moved = { issuer: 'https://attacker.example' }
    const refused = await change(moved)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('clientSecret: must be given again with another issuer'),
    ])
    expect((await change({ ...moved, clientSecret: 'another' })).body.issuer).toBe(moved.issuer)
    expect(await storedSecret()).toBe('another')
    expect((await change({ clientAuthentication: 'none', clientSecret: null })).body.hasSecret).toBe(false)
    expect(await storedSecret()).toBeNull()
  })

  it('shows the public half of the key that it signs with, and never the private one', async () => {
    const { body } = await create({ clientAuthentication: 'private_key_jwt', clientSecret: KEY })
    expect(body).toMatchObject({
      ...{ hasSecret: true, clientAuthentication: 'private_key_jwt' },
      clientPublicJwk: { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'one' },
    })
    expect(body.clientPublicJwk).not.toHaveProperty('d')
    expect(JSON.stringify(body)).not.toContain(JSON.parse(KEY).d)
    expect((await management.call('GET', `${COLLECTION}/corporate`, undefined, OWNER)).body).toEqual(body)
    expect(await storedSecret()).toBe(KEY)
    const other = JSON.stringify({ ...JSON.parse(newKey()), kid: 'two' })
    expect((await change({ clientSecret: other })).body.clientPublicJwk).toMatchObject({ kid: 'two' })
    expect((await change({ name: 'Renamed' })).body.clientPublicJwk).toMatchObject({ kid: 'two' })
  })

  it('changes between a secret and a key only with the other one, so that no key is sent as a secret', async () => {
    await create()
    const toKey = { clientAuthentication: 'private_key_jwt' }
    const without = await change(toKey)
    expect([without.status, without.body.message]).toEqual([
      400,
      'clientSecret: must be given again for private_key_jwt: the stored one is no private key',
    ])
    expect((await change({ ...toKey, clientSecret: null })).status).toBe(400)
    expect((await change({ ...toKey, clientSecret: 'a-secret' })).status).toBe(400)
    expect((await change({ ...toKey, clientSecret: KEY })).body.clientPublicJwk).toMatchObject({ kid: 'one' })
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const back = await change({ clientAuthentication: method })
      expect([back.status, back.body.message]).toEqual([
        400,
        `clientSecret: must be given again for ${method}: the stored one is a private key`,
      ])
    }
    expect((await change({ issuer: 'https://attacker.example' })).status).toBe(400)
    expect((await change({ clientAuthentication: 'none' })).status).toBe(400)
    const none = await change({ clientAuthentication: 'none', clientSecret: null })
    expect(none.body).toMatchObject({ hasSecret: false, clientPublicJwk: null })
    await change({ ...toKey, clientSecret: KEY })
    const secret = { clientAuthentication: 'client_secret_post', clientSecret: 'b' }
    expect((await change(secret)).body).toMatchObject({ hasSecret: true, clientPublicJwk: null })
  })

  it('that is not there is tested by no link', async () => {
    expect((await management.call('POST', '/identity-providers/ghost/tests')).status).toBe(404)
  })

  it.each([
    [{ clientSecret: 'a-secret' }, 'must be a private key'],
    [{ clientSecret: undefined }, 'is required for private_key_jwt'],
    [{ clientSecret: '{"kty":"oct","k":"AAAA","d":"AAAA"}' }, 'must be a readable private key'],
    [{ clientSecret: publicHalf(KEY) }, 'must be a private key'],
    [
      { clientSecret: JSON.stringify({ ...JSON.parse(KEY), alg: 'RS256' }) },
      'must be another key: it has an alg that is not one of',
    ],
    [{ clientSecret: KEY, clientAuthentication: 'client_secret_basic' }, 'is a private key, which'],
    [
      {
        clientSecret: KEY.replace('"crv":"P-256"', '"crv":"P-384"'),
        clientAuthentication: 'client_secret_post',
      },
      'is a private key, which',
    ],
    [{ clientSecret: 'a\nb', clientAuthentication: 'client_secret_basic' }, 'must have 1 to 1000 printable'],
    [{ clientSecret: 'a'.repeat(1001), clientAuthentication: 'client_secret_post' }, 'must have 1 to 1000'],
  ])('is refused with a secret that is no key of its kind: %#', async (more, rule) => {
    const { status, body } = await create({ clientAuthentication: 'private_key_jwt', ...more })
    expect([status, body.message]).toEqual([400, expect.stringContaining(`clientSecret: ${rule}`)])
    if (more.clientSecret !== undefined) expect(JSON.stringify(body)).not.toContain(more.clientSecret)
  })

  it('verifies addresses of verified domains, and of others only where an IAM_OWNER says so', async () => {
    const { id, ...chosen } = CORPORATE
    const body = { ...chosen, trustedEmailDomains: ['acme.example', 'mail.example'] }
    expect((await management.call('POST', COLLECTION, body, OWNER)).status).toBe(403)
    const own = { ...body, trustedEmailDomains: ['acme.example'] }
    expect((await management.call('POST', COLLECTION, own, OWNER)).status).toBe(201)
    await create({ trustedEmailDomains: ['mail.example'] })
    expect((await change({ trustedEmailDomains: ['mail.example', 'acme.example'] }, OWNER)).status).toBe(200)
    expect((await change({ trustedEmailDomains: ['bank.example'] }, OWNER)).status).toBe(403)
  })

  it('no longer verifies addresses of a domain that its organization lost', async () => {
    await management.directory.rows(
      "INSERT INTO directory.organization_domain VALUES ('acme', 'lost.example', true)",
    )
    await create({ trustedEmailDomains: ['acme.example', 'lost.example'] })
    const trusted = async () =>
      (await management.call('GET', `${COLLECTION}/corporate`)).body.trustedEmailDomains
    await management.call('PATCH', '/organizations/acme/domains/lost.example', { isVerified: false })
    expect(await trusted()).toEqual(['acme.example'])
    await management.call('PATCH', '/organizations/acme/domains/lost.example', { isVerified: true })
    await change({ trustedEmailDomains: ['lost.example'] })
    await management.call('DELETE', '/organizations/acme/domains/lost.example')
    expect(await trusted()).toEqual([])
  })

  it('keeps who signs in by it from callers with less reach than a linked person', async () => {
    await create()
    await link('root', 'r1')
    for (const changes of [
      { issuer: 'https://attacker.example', clientSecret: 'x' },
      { subjectClaim: 'nick' },
      { requiredClaims: { a: 'b' } },
      { mappedClaims: { email: 'upn' } },
      { trustsMethods: true },
      { trustedEmailDomains: ['acme.example'] },
      { updatesProfile: true },
    ]) {
      expect([changes, (await change(changes, OWNER)).status]).toEqual([changes, 403])
    }
    expect((await change({ name: 'Other name', creationAllowed: true }, OWNER)).status).toBe(200)
    expect((await change({ trustsMethods: true })).status).toBe(200)
    const removed = `${COLLECTION}/corporate?force=true`
    expect((await management.call('DELETE', removed, undefined, OWNER)).status).toBe(403)
  })

  it('does not exist for other organizations', async () => {
    await create()
    for (const [method, path, body] of [
      ['GET', '/corporate', undefined],
      ['PATCH', '/corporate', { name: 'x' }],
      ['POST', '/corporate/deactivate', {}],
      ['DELETE', '/corporate', undefined],
      ['POST', '', { ...CORPORATE, id: undefined }],
    ] as const) {
      for (const bearer of ['stranger', 'manager'])
        expect((await management.call(method, `${COLLECTION}${path}`, body, bearer)).status).toBe(403)
    }
    expect((await management.call('GET', COLLECTION, undefined, 'stranger')).body.items).toEqual([])
    expect((await management.call('GET', COLLECTION, undefined, OWNER)).body.items).toHaveLength(1)
  })

  it('that is deactivated keeps sessions, and ends those of linked people when asked', async () => {
    await create()
    await link('carol', 'c1')
    expect((await management.call('POST', `${COLLECTION}/corporate/deactivate`, {})).body.state).toBe(
      'inactive',
    )
    expect(management.published.flat()).toEqual([])
    await management.call('POST', `${COLLECTION}/corporate/activate`)
    // An account with a role of the instance lives in the organization.
    const ending = { endSessions: true }
    expect((await management.call('POST', `${COLLECTION}/corporate/deactivate`, ending, OWNER)).status).toBe(
      403,
    )
    expect((await management.call('GET', `${COLLECTION}/corporate`)).body.state).toBe('active')
    await management.call('POST', `${COLLECTION}/corporate/deactivate`, { endSessions: true })
    expect(management.published.flat()).toEqual([expect.stringMatching(/^USER carol \d+$/)])
  })

  it('is deleted with its links, and not silently with the last way in', async () => {
    await create()
    await link('carol', 'c1')
    await link('bob', 'b1')
    const refused = await management.call('DELETE', `${COLLECTION}/corporate`)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      '1 person has no other way to sign in; give one, or call with force=true',
    ])
    expect((await management.call('DELETE', `${COLLECTION}/corporate?force=true`)).status).toBe(204)
    expect((await management.call('GET', '/users/bob/identity-links')).body.items).toEqual([])
  })
})

describe('a link', () => {
  beforeEach(() => create())

  it('has the issuer of the provider, and is one of its identity', async () => {
    const { status, body } = await link('carol', 'c1', 'manager', { displayName: 'carol@corporate.example' })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        ...{ providerId: 'corporate', issuer: 'https://corporate.example', subject: 'c1', lastUsedAt: null },
      }),
    ])
    expect((await link('bob', 'c1')).status).toBe(409)
    expect((await link('carol', 'c1')).status).toBe(409)
    const { items } = (await management.call('GET', '/users/carol/identity-links')).body
    expect(items).toEqual([body])
  })

  it.each([
    ['root', 'manager', 403],
    ['root', OWNER, 403],
    ['alice', 'manager', 403],
    ['foreign', OWNER, 403],
    ['foreign', 'owner', 400],
    ['migrator-id', 'owner', 400],
  ])('of %s is refused to %s', async (userId, bearer, status) => {
    expect((await link(userId, 'x1', bearer)).status).toBe(status)
  })

  it('is no last way in that is deleted silently, and ends everything that was made for the person', async () => {
    const { body } = await link('bob', 'b1')
    const path = `/users/bob/identity-links/${body.id}`
    const refused = await management.call('DELETE', path)
    expect([refused.status, refused.body.details]).toEqual([400, [{ id: 'no_other_way_in' }]])
    expect((await management.call('GET', '/users/bob/identity-links')).body.items).toHaveLength(1)
    expect((await management.call('DELETE', `${path}?force=true`)).status).toBe(204)
    expect(management.published.flat()).toEqual([expect.stringMatching(/^USER bob \d+$/)])
    expect((await management.call('DELETE', path)).status).toBe(404)
  })
})

describe('a provider of GitHub', () => {
  const GITHUB = { id: 'github', organizationId: 'acme', type: 'github', name: 'GitHub', clientId: 'Iv1.a' }
  const add = (more: object = {}) =>
    management.call('POST', COLLECTION, { ...GITHUB, clientSecret: 'a-secret', ...more })

  it('knows people by the number of their account, at github.com or at a server of its own', async () => {
    expect((await add()).body).toMatchObject({
      ...{ type: 'github', issuer: 'https://github.com', subjectClaim: 'id', hasSecret: true },
      ...{ clientAuthentication: 'client_secret_post', scopes: ['read:user', 'user:email'] },
    })
    const required = { requiredClaims: { organization: '9919' } }
    expect((await add({ ...required, id: 'members' })).body).toMatchObject({
      ...{ ...required, scopes: ['read:user', 'user:email', 'read:org'] },
    })
    const late = await management.call('PATCH', `${COLLECTION}/github`, required)
    expect([late.status, late.body.message]).toEqual([
      400,
      expect.stringContaining('scopes: must include read:org'),
    ])
    const own = await add({
      id: 'own',
      issuer: 'https://git.acme.example',
      trustedEmailDomains: ['acme.example'],
    })
    expect(own.body).toMatchObject({
      issuer: 'https://git.acme.example',
      trustedEmailDomains: ['acme.example'],
    })
    const moved = await management.call('PATCH', `${COLLECTION}/github`, {
      issuer: 'https://git.evil.example',
    })
    expect([moved.status, moved.body.message]).toEqual([
      400,
      expect.stringContaining('clientSecret: must be given again with another issuer'),
    ])
  })

  it.each([
    [{ issuer: 'http://git.acme.example' }, 'issuer: must be https://github.com, or the https URL'],
    [{ issuer: 'https://git.acme.example/' }, 'issuer: must be https://github.com, or the https URL'],
    [{ issuer: 'https://github.com/login/oauth' }, 'issuer: must be https://github.com, or the https URL'],
    [{ issuer: 'https://GitHub.com' }, 'issuer: must be https://github.com, or the https URL'],
    [{ issuer: 'https://a@github.com' }, 'issuer: must be https://github.com, or the https URL'],
    [{ clientSecret: undefined }, 'clientSecret: is required for client_secret_post'],
    [{ clientAuthentication: 'private_key_jwt' }, 'clientAuthentication: must be client_secret_post'],
    [
      { clientAuthentication: 'none', clientSecret: undefined },
      'clientAuthentication: must be client_secret_post',
    ],
    [{ subjectClaim: 'login' }, 'subjectClaim: must be id with type github'],
    [{ subjectClaim: 'email' }, 'subjectClaim: must be id with type github'],
    [{ requiredClaims: { company: 'acme' } }, 'requiredClaims: may have organization alone with type github'],
    [{ requiredClaims: { organization: 'octo-org' } }, 'requiredClaims: must have the number'],
    [{ requiredClaims: { organization: '0' } }, 'requiredClaims: must have the number'],
    [
      { requiredClaims: { organization: '9919' }, scopes: ['read:user'] },
      'scopes: must include read:org with requiredClaims.organization',
    ],
    [{ mappedClaims: { email: 'email' } }, 'mappedClaims: must be empty with type github'],
    [{ groupsClaim: 'orgs' }, 'groupsClaim: must be null with type github'],
    [{ trustsMethods: true }, 'trustsMethods: must be false with type github'],
    [{ crossAppAccess: true }, 'crossAppAccess: must be false with type github'],
    [{ backchannelLogout: true }, 'backchannelLogout: must be false with type github'],
    [{ rpInitiatedLogout: true }, 'rpInitiatedLogout: must be false with type github'],
    [{ ssoUrl: 'https://github.com/sso' }, 'ssoUrl: must be left out'],
    [{ baseDn: 'dc=acme' }, 'baseDn: must be left out'],
    [{ servers: ['ldaps://a.example'] }, 'servers: must be left out'],
  ])('is refused with its rule: %j', async (more, rule) => {
    const { status, body } = await add(more)
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })
})

describe('a provider of Apple', () => {
  const add = (more: object = {}) =>
    create({
      ...{ preset: 'apple', issuer: undefined, clientSecret: KEY },
      ...{ teamId: 'DEF123GHIJ', keyId: 'ABC123DEFG', ...more },
    })

  it('has the key of Apple as its secret, with the names of team and key', async () => {
    const { status, body } = await add()
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ preset: 'apple', issuer: 'https://appleid.apple.com', scopes: ['openid', 'name', 'email'] },
        ...{ clientAuthentication: 'apple_client_secret', teamId: 'DEF123GHIJ', keyId: 'ABC123DEFG' },
        ...{ hasSecret: true, clientPublicJwk: null },
      },
    ])
    expect(JSON.stringify(body)).not.toContain(JSON.parse(KEY).d)
    for (const method of ['private_key_jwt', 'client_secret_post']) {
      const other = await change({ clientAuthentication: method, teamId: null, keyId: null })
      expect([other.status, other.body.message]).toEqual([
        400,
        `clientSecret: must be given again for ${method}: the stored one is a private key`,
      ])
    }
    const none = { clientAuthentication: 'none', clientSecret: null, teamId: null, keyId: null }
    expect((await change(none)).body).toMatchObject({ hasSecret: false, teamId: null, keyId: null })
  })

  it.each([
    [{ teamId: undefined }, 'teamId: is required for apple_client_secret'],
    [{ keyId: null }, 'keyId: is required for apple_client_secret'],
    [{ teamId: 'def123ghij' }, 'teamId: must have 10 upper-case letters and digits'],
    [{ keyId: '../../../..' }, 'keyId: must have 10 upper-case letters and digits'],
    [{ clientSecret: 'a-secret' }, 'clientSecret: must be a private key'],
    [{ clientSecret: undefined }, 'clientSecret: is required for apple_client_secret'],
    [{ clientSecret: newRsaKey() }, 'clientSecret: must be a private key of P-256'],
    [{ clientAuthentication: 'private_key_jwt' }, 'teamId: must be left out without apple_client_secret'],
    [{ clientAuthentication: 'client_secret_post', clientSecret: 'a' }, 'keyId: must be left out without'],
    [{ type: 'github', preset: undefined }, 'clientAuthentication: must be client_secret_post'],
  ])('is refused with its rule: %#', async (more, rule) => {
    const { status, body } = await add({ clientAuthentication: 'apple_client_secret', ...more })
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })
})

describe('a provider of a bootstrap file', () => {
  const declared = {
    ...{ id: 'corporate', preset: 'okta' as const, name: 'Corporate', clientId: 'signet' },
    issuer: 'https://corporate.example',
    ...{ requiredClaims: { some_claim: 'x' }, groupsClaim: 'groups' },
    roleMappings: [{ group: 'staff', projectId: 'portal', roles: ['admin'] }],
  }
  const apply = (more: object = {}, secret = 'a-secret') => {
    const organization = { id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }
    const file = {
      organizations: [
        { ...organization, identityProviders: [{ ...declared, clientSecret: secret, ...more }] },
      ],
    }
    return management.directory.apply(file)
  }
  const shown = async () => (await management.call('GET', `${COLLECTION}/corporate`)).body
  beforeEach(() => management.directory.rows('DELETE FROM directory.bootstrap_fingerprint'))

  it('is made as by the management API, and changed by the file', async () => {
    await apply()
    expect(await shown()).toMatchObject({
      ...{ preset: 'okta', hasSecret: true, requiredClaims: { some_claim: 'x' }, state: 'active' },
      roleMappings: declared.roleMappings,
    })
    expect(await storedSecret()).toBe('a-secret')
    await apply({ name: 'Another name', state: 'inactive' }, 'another-secret')
    expect(await shown()).toMatchObject({ name: 'Another name', state: 'inactive' })
    expect(await storedSecret()).toBe('another-secret')
  })

  it('is one of GitHub, by the rules of the management API', async () => {
    const noClaims = { requiredClaims: {}, groupsClaim: null, roleMappings: [] }
    const github = { ...noClaims, type: 'github' as const, issuer: 'https://github.com', preset: undefined }
    await apply(github)
    expect(await shown()).toMatchObject({ type: 'github', subjectClaim: 'id', hasSecret: true })
    await expect(apply({ ...github, trustsMethods: true })).rejects.toThrow('trustsMethods: must be false')
  })

  it('has a key by the rules of the management API, also where its secret stays the same', async () => {
    await apply({ clientAuthentication: 'private_key_jwt' as const }, KEY)
    expect(await shown()).toMatchObject({ hasSecret: true, clientPublicJwk: { kid: 'one' } })
    await expect(apply({ clientAuthentication: 'client_secret_basic' as const }, KEY)).rejects.toThrow(
      'clientSecret: is a private key',
    )
    await expect(apply({ clientAuthentication: 'private_key_jwt' as const }, 'a')).rejects.toThrow(
      'clientSecret: must be a private key',
    )
  })

  it('is refused with path and rule', async () => {
    await expect(apply({ scopes: ['email'] })).rejects.toThrow(
      'organizations[0].identityProviders[0].scopes: must include openid',
    )
    await expect(apply({ issuer: 'http://corporate.example' })).rejects.toThrow('must be an https URL')
    await apply()
    await expect(apply({ issuer: 'https://attacker.example', clientSecret: undefined })).rejects.toThrow(
      'clientSecret',
    )
  })
})

it('says of each provider of a list whether people can sign in by it, and when they did', async () => {
  await create()
  await create({ id: 'second', name: 'Second' })
  const list = async () =>
    ((await management.call('GET', `${COLLECTION}?organizationId=acme`, undefined, OWNER)).body.items ??
      []) as {
      id: string
      usable: boolean
      lastUsedOn: string | null
    }[]
  const uses = async () => (await list()).map(({ id, usable, lastUsedOn }) => [id, usable, lastUsedOn])
  expect(await uses()).toEqual([
    ['corporate', true, null],
    ['second', true, null],
  ])
  await new ProviderUseStore(management.directory.owner).record(new Date('2026-03-01'), ['second'])
  const path = '/organizations/acme/policies/login'
  await management.call('PUT', path, { idps: [{ idpId: 'second' }] })
  expect(await uses()).toEqual([
    ['corporate', false, null],
    ['second', true, '2026-03-01'],
  ])
  const stopped = await management.call('POST', `${COLLECTION}/second/deactivate`, {})
  expect(stopped.body).toMatchObject({ usable: false, lastUsedOn: '2026-03-01' })
  const given = await change({ usable: true })
  expect(given.status).toBe(400)
  const foreign = await management.call('GET', `${COLLECTION}?organizationId=acme`, undefined, 'stranger')
  expect(JSON.stringify(foreign.body)).not.toContain('2026-03-01')
})

it('takes a change of an administrator who read the provider before a sign-in by it', async () => {
  await create()
  const read = await management.call('GET', `${COLLECTION}/corporate`)
  const tag = read.headers.get('etag') ?? ''
  await new ProviderUseStore(management.directory.owner).record(new Date('2026-03-01'), ['corporate'])
  const path = `${COLLECTION}/corporate`
  const renamed = await management.call('PATCH', path, { name: 'Renamed' }, 'owner', { 'if-match': tag })
  expect([renamed.status, renamed.body.lastUsedOn]).toEqual([200, '2026-03-01'])
  const again = await management.call('PATCH', path, { name: 'Third' }, 'owner', { 'if-match': tag })
  expect(again.status).toBe(412)
  const after = await management.call('GET', path)
  expect(after.headers.get('etag')).toBe(renamed.headers.get('etag'))
})

it('the sign-in page offers the usable providers in the order of the policy', async () => {
  await create()
  await create({ id: 'second', name: 'Alpha', preset: 'okta' })
  await create({ id: 'third', name: 'Beta' })
  await management.call('POST', `${COLLECTION}/third/deactivate`, {})
  const database = management.directory.as('signet_login')
  const directory = { follow: () => undefined, settings: () => Promise.reject(new Error('not asked for')) }
  const offered = async () => (await createSignInPageReader({ database, directory })('acme')).providers
  const alpha = { id: 'second', name: 'Alpha', preset: 'okta', type: 'oidc', logo: null }
  const corporate = { id: 'corporate', name: 'Corporate', preset: null, type: 'oidc', logo: null }
  expect(await offered()).toEqual([alpha, corporate])
  const path = '/organizations/acme/policies/login'
  await management.call('PUT', path, { idps: ['third', 'corporate', 'second'].map((idpId) => ({ idpId })) })
  expect(await offered()).toEqual([corporate, alpha])
  await management.call('PUT', path, { idps: [{ idpId: 'second' }] })
  expect(await offered()).toEqual([alpha])
  await management.call('PUT', path, { allowExternalIdp: false })
  expect(await offered()).toEqual([])
})

it('has a picture, which the sign-in page shows and the content decides about', async () => {
  const content = pngSample({ colour: [9, 9, 9] })
  const logo = { mediaType: 'image/png', sha256: createHash('sha256').update(content).digest('hex') }
  await create()
  const path = `${COLLECTION}/corporate/logo`
  const put = (given: Buffer) => management.call('PUT', path, { content: given.toString('base64') }, OWNER)
  const set = await put(content)
  expect([set.status, set.body.logo]).toEqual([200, logo])
  expect((await management.call('GET', COLLECTION, undefined, OWNER)).body.items).toMatchObject([{ logo }])
  const database = management.directory.as('signet_login')
  const directory = { follow: () => undefined, settings: () => Promise.reject(new Error('not asked for')) }
  expect((await createSignInPageReader({ database, directory })('acme')).providers).toMatchObject([{ logo }])
  const files = createBrandingReader({ database, directory })
  expect(await files.file(logo.sha256)).toMatchObject({ mediaType: 'image/png', content })
  // A change of the settings keeps it.
  const renamed = await management.call('PATCH', `${COLLECTION}/corporate`, { name: 'New' }, OWNER)
  expect(renamed.body.logo).toEqual(logo)
  for (const [given, rule] of [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'script'],
    [Buffer.from('<html></html>'), 'must be a PNG, JPEG, WebP or SVG image'],
    [Buffer.concat([content, Buffer.from('more')]), 'with nothing after its end'],
    [Buffer.concat([content, Buffer.alloc(32_768)]), '32768 bytes'],
    [pngSample({ width: 513, height: 1 }), 'at most 512 pixels'],
    [Buffer.alloc(0), 'must not be empty'],
  ] as const) {
    const refused = await put(given)
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(rule)])
  }
  expect((await management.call('PUT', path, { content: '' }, 'stranger')).status).not.toBe(200)
  const events = (await management.call('GET', '/audit?targetId=corporate&limit=50', undefined, OWNER)).body
    .items as { action: string; result: string; details: object }[]
  expect(
    events.find(({ action, result }) => action === 'identity_provider.set_logo' && result === 'success')
      ?.details,
  ).toMatchObject({ media_type: 'image/png', sha256: logo.sha256 })
  const gone = await management.call('DELETE', path, undefined, OWNER)
  expect([gone.status, gone.body.logo]).toEqual([200, null])
  expect((await createSignInPageReader({ database, directory })('acme')).providers).toMatchObject([
    { logo: null },
  ])
})

describe('a provider of SAML', () => {
  const SAML = {
    ...{ id: 'saml', organizationId: 'acme', type: 'saml', name: 'SAML', issuer: 'urn:example:idp' },
    ...{ clientId: 'https://id.example.com/saml', ssoUrl: 'https://idp.example/sso' },
  }
  const createSaml = (more: object) => management.call('POST', COLLECTION, { ...SAML, ...more })

  it('is created with its certificates as DER in base64, and answered to federation', async () => {
    const { cert, certificate } = await createSelfSigned()
    const stored = certificate.raw.toString('base64')
    const { status, body } = await createSaml({ certificates: [cert, stored] })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        ...{ type: 'saml', hasSecret: false, scopes: [], clientAuthentication: 'none' },
        ...{ ssoUrl: SAML.ssoUrl, certificates: [stored], wantAssertionsSigned: false },
      }),
    ])
    const named = await management.call('PATCH', `${COLLECTION}/saml`, { nameIdFormat: PERSISTENT })
    expect(named.body.nameIdFormat).toBe(PERSISTENT)
    const transient = { nameIdFormat: TRANSIENT, subjectClaim: 'employeeNumber' }
    expect((await management.call('PATCH', `${COLLECTION}/saml`, transient)).status).toBe(200)
    const more = await createSelfSigned()
    const changed = await management.call('PATCH', `${COLLECTION}/saml`, { certificates: [cert, more.cert] })
    expect(changed.body.certificates).toEqual([stored, more.certificate.raw.toString('base64')])
    const cleared = await management.call('PATCH', `${COLLECTION}/saml`, { certificates: [] })
    expect([cleared.status, cleared.body.message]).toEqual([400, expect.stringContaining('certificates')])
  })

  it('lets sign-ins begin at it, which end at an application of its organization', async () => {
    const { cert } = await createSelfSigned()
    const add = (clientId: string, projectId: string) =>
      management.call(
        'POST',
        '/applications',
        { id: clientId, clientId, projectId, name: 'Shop', type: 'native' },
        'owner',
      )
    const added = [await add('initiated', 'portal'), await add('of-other', 'foreign-shop')]
    expect(added.map(({ status }) => status)).toEqual([201, 201])
    const off = { providerInitiated: false, providerInitiatedClientId: null }
    expect((await createSaml({ certificates: [cert] })).body).toMatchObject(off)
    const change = (members: object) => management.call('PATCH', `${COLLECTION}/saml`, members, OWNER)
    const on = { providerInitiated: true, providerInitiatedClientId: 'initiated' }
    expect((await change(on)).body).toMatchObject(on)
    const [event] = (await management.call('GET', '/audit?targetId=saml&limit=1', undefined, OWNER)).body
      .items as {
      details: object
    }[]
    expect(event?.details).toMatchObject({
      changes: {
        providerInitiated: { old: false, new: true },
        providerInitiatedClientId: { old: null, new: 'initiated' },
      },
    })
    for (const providerInitiatedClientId of ['of-other', 'none']) {
      const refused = await change({ providerInitiatedClientId })
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringContaining('must be the client id of an application of the organization'),
      ])
    }
    const database = management.directory.as('signet_login')
    const find = createInitiatingProviderReader({ database, directory: { follow: () => undefined } })
    expect(await find.byId('saml')).toEqual({
      ...{ providerId: 'saml', organizationId: 'acme', clientId: 'initiated' },
    })
    // An application that was deleted keeps no other change away.
    expect((await management.call('DELETE', '/applications/initiated', undefined, 'owner')).status).toBe(204)
    expect((await change({ name: 'Renamed' })).body).toMatchObject(on)
    expect((await change(off)).body).toMatchObject(off)
    const other = createInitiatingProviderReader({ database, directory: { follow: () => undefined } })
    expect(await other.byId('saml')).toBeUndefined()
  })

  it('gets a key where a setting needs one, and keeps it', async () => {
    const { cert } = await createSelfSigned()
    const own = async () => (await management.call('GET', `${COLLECTION}/saml`)).body
    await createSaml({ certificates: [cert] })
    expect(await own()).toMatchObject({
      ...{ assertionEncryption: 'none', signAuthnRequests: false, ownCertificates: [] },
    })
    const signing = await management.call('PATCH', `${COLLECTION}/saml`, { signAuthnRequests: true })
    const [certificate] = signing.body.ownCertificates as string[]
    const { publicKey, subject, validToDate } = new X509Certificate(Buffer.from(certificate ?? '', 'base64'))
    expect([publicKey.asymmetricKeyDetails?.modulusLength, subject]).toEqual([3072, 'CN=Signet'])
    expect(validToDate.getTime()).toBeGreaterThan(Date.now() + 3_600 * 86_400_000)
    await management.call('PATCH', `${COLLECTION}/saml`, { assertionEncryption: 'required' })
    expect(await own()).toMatchObject({ assertionEncryption: 'required', ownCertificates: [certificate] })
    const stored = await new IdentityProviderStore(management.directory.owner).find('saml')
    const [privateKey = ''] = openOwnKeys(
      'saml',
      stored?.sealedOwnKeys ?? null,
      management.directory.masterKeys,
    )
    expect(isOwnKey({ certificate: certificate ?? '', privateKey })).toBe(true)
    expect(JSON.stringify(await own())).not.toContain(privateKey)
    const off = { assertionEncryption: 'none', signAuthnRequests: false }
    await management.call('PATCH', `${COLLECTION}/saml`, off)
    expect(await own()).toMatchObject({ ...off, ownCertificates: [certificate] })
  })

  it('replaces its key in two steps, also where two administrators begin at once', async () => {
    const { cert } = await createSelfSigned()
    await createSaml({ certificates: [cert], assertionEncryption: 'required' })
    const call = (path: string) => management.call('POST', `${COLLECTION}/saml/${path}`)
    const certificates = async () =>
      (await management.call('GET', `${COLLECTION}/saml`)).body.ownCertificates as readonly string[]
    const [first = ''] = await certificates()
    const last = await call('retire-key')
    expect([last.status, last.body.details]).toEqual([400, [{ id: 'own_key_needed' }]])
    const begun = await Promise.all([call('keys'), call('keys')])
    expect(begun.map(({ status }) => status).sort()).toEqual([200, 400])
    const refused = begun.find(({ status }) => status === 400)
    expect(refused?.body.details).toEqual([{ id: 'own_keys_exhausted' }])
    const [kept, next = ''] = await certificates()
    expect(kept).toBe(first)
    const stored = await new IdentityProviderStore(management.directory.owner).find('saml')
    const keys = openOwnKeys('saml', stored?.sealedOwnKeys ?? null, management.directory.masterKeys)
    expect(
      keys.map((privateKey, index) => isOwnKey({ privateKey, certificate: [first, next][index] ?? '' })),
    ).toEqual([true, true])
    expect((await call('retire-key')).body.ownCertificates).toEqual([next])
    await management.call('PATCH', `${COLLECTION}/saml`, { assertionEncryption: 'none' })
    expect((await call('retire-key')).body.ownCertificates).toEqual([])
    await create({ id: 'oidc' })
    const other = await management.call('POST', `${COLLECTION}/oidc/keys`)
    expect([other.status, other.body.message]).toEqual([400, 'providerId: must be a provider of type saml'])
  })

  it('gets a key for messages of a sign-out, and keeps its address alone without one', async () => {
    const { cert } = await createSelfSigned()
    const at = `${COLLECTION}/saml`
    const sloUrl = 'https://idp.example/slo'
    const created = await createSaml({ certificates: [cert], sloUrl })
    expect(created.body).toMatchObject({ sloUrl, rpInitiatedLogout: false, ownCertificates: [] })
    for (const member of ['rpInitiatedLogout', 'backchannelLogout']) {
      const changed = await management.call('PATCH', at, { [member]: true })
      expect(changed.body).toMatchObject({ [member]: true, ownCertificates: [expect.any(String)] })
    }
    const last = await management.call('POST', `${at}/retire-key`)
    expect([last.status, last.body.details]).toEqual([400, [{ id: 'own_key_needed' }]])
    const taken = await management.call('PATCH', at, { sloUrl: null })
    expect([taken.status, taken.body.message]).toEqual([400, expect.stringContaining('sloUrl: is required')])
    await management.call('DELETE', at)
    const both = await createSaml({ certificates: [cert], sloUrl, backchannelLogout: true })
    expect(both.body.ownCertificates).toHaveLength(1)
  })

  const PATH = '/realms/acme/broker/okta/endpoint'
  const certificateOf = async () => (await createSelfSigned()).cert

  it('takes assertions at the path of another product, which an IAM_OWNER sets', async () => {
    const certificates = [await certificateOf()]
    const created = await createSaml({ certificates, assertionConsumerPath: PATH })
    expect([created.status, created.body.assertionConsumerPath]).toEqual([201, PATH])
    const at = `${COLLECTION}/saml`
    const renamed = await management.call('PATCH', at, { name: 'Okta', assertionConsumerPath: PATH }, OWNER)
    expect([renamed.status, renamed.body.assertionConsumerPath]).toEqual([200, PATH])
    const cleared = await management.call('PATCH', at, { assertionConsumerPath: null }, OWNER)
    expect([cleared.status, cleared.body.assertionConsumerPath]).toEqual([200, null])
  })

  it('gives an owner of an organization no path: the partner of another organization may call it', async () => {
    const certificates = [await certificateOf()]
    const { id: _, ...saml } = SAML
    const given = { ...saml, certificates, assertionConsumerPath: PATH }
    const created = await management.call('POST', COLLECTION, given, OWNER)
    expect([created.status, created.body.details]).toEqual([
      403,
      [{ id: 'role_missing', roles: ['IAM_OWNER'] }],
    ])
    await createSaml({ certificates, assertionConsumerPath: PATH })
    for (const path of [`${PATH}/other`, '/saml/acs']) {
      const change = { assertionConsumerPath: path }
      expect((await management.call('PATCH', `${COLLECTION}/saml`, change, OWNER)).status).toBe(403)
    }
  })

  it('has its path alone, also where two are created at once', async () => {
    const certificates = [await certificateOf()]
    const made = await Promise.all(
      ['one', 'two'].map((id) => createSaml({ id, certificates, assertionConsumerPath: PATH })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(made.find(({ status }) => status === 409)?.body.message).toContain(
      'assertionConsumerPath: is the assertionConsumerPath of another identity provider',
    )
    // Another spelling is another path.
    const other = await createSaml({ id: 'three', certificates, assertionConsumerPath: `${PATH}/` })
    expect(other.status).toBe(201)
  })

  it('loses no key to a change at the same moment', async () => {
    const { cert } = await createSelfSigned()
    await createSaml({ certificates: [cert] })
    const at = `${COLLECTION}/saml`
    const names = Array.from({ length: 8 }, (_, number) =>
      management.call('PATCH', at, { name: `n${number}` }),
    )
    const [made] = await Promise.all([management.call('POST', `${at}/keys`), ...names])
    expect((await management.call('GET', at)).body.ownCertificates).toEqual(made.body.ownCertificates)
  })

  it.each([
    [{ ssoUrl: undefined }, 'ssoUrl: must be an https URL'],
    [{ assertionEncryption: 'always' }, 'assertionEncryption'],
    [{ ownCertificates: [] }, 'ownCertificates'],
    [{ ssoUrl: 'http://idp.example/sso' }, 'ssoUrl: must be an https URL'],
    [{ ssoUrl: 'https://idp.example/sso#x' }, 'ssoUrl: must be an https URL'],
    [{ ssoUrl: 'javascript:alert(1)' }, 'ssoUrl: must be an https URL'],
    [{ sloUrl: 'http://idp.example/slo' }, 'sloUrl: must be an https URL'],
    [{ sloUrl: 'javascript:alert(1)' }, 'sloUrl: must be an https URL'],
    [{ rpInitiatedLogout: true }, 'sloUrl: is required by rpInitiatedLogout'],
    [{ backchannelLogout: true }, 'sloUrl: is required by rpInitiatedLogout and backchannelLogout'],
    [{ issuer: undefined }, 'issuer: is required'],
    [{ certificates: undefined }, 'certificates: is required'],
    [{ certificates: ['AAAA'] }, 'certificates: must be X.509'],
    [{ clientSecret: 'x' }, 'clientSecret: must be left out'],
    [{ clientAuthentication: 'client_secret_post', clientSecret: 'x' }, 'clientAuthentication: must be none'],
    [{ scopes: ['openid'] }, 'scopes: must be left out'],
    [{ nameIdFormat: 'persistent' }, 'nameIdFormat'],
    [{ nameIdFormat: TRANSIENT }, 'nameIdFormat: may be transient only'],
    [{ assertionConsumerPath: '/ui/login' }, 'assertionConsumerPath: must be a path'],
    [{ assertionConsumerPath: '/realms/../ui/login' }, 'assertionConsumerPath: must be a path'],
    [{ assertionConsumerPath: 'https://id.example/realms/a' }, 'assertionConsumerPath: must be a path'],
    [{ trustedEmailDomains: ['acme.localhost'] }, 'trustedEmailDomains: must be empty'],
    [{ subjectClaim: 'mail' }, 'subjectClaim: must be'],
    [{ subjectClaim: 'urn:oid:0.9.2342.19200300.100.1.1' }, 'subjectClaim: must be'],
    [{ subjectClaim: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name' }, 'subjectClaim: must be'],
    [{ subjectClaim: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn' }, 'subjectClaim: must be'],
  ])('is refused with its rule: %j', async (more, rule) => {
    const { cert } = await createSelfSigned()
    const { status, body } = await createSaml({ certificates: [cert], ...more })
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })

  it.each([
    [{ ssoUrl: 'https://idp.example/sso' }, 'ssoUrl'],
    [{ sloUrl: 'https://idp.example/slo' }, 'sloUrl'],
    [{ wantAssertionsSigned: true }, 'wantAssertionsSigned'],
    [{ nameIdFormat: PERSISTENT }, 'nameIdFormat'],
    [{ assertionEncryption: 'optional' }, 'assertionEncryption'],
    [{ signAuthnRequests: true }, 'signAuthnRequests'],
    [{ assertionConsumerPath: '/saml/acs' }, 'assertionConsumerPath'],
    [{ providerInitiated: true }, 'providerInitiated'],
    [{ providerInitiatedClientId: 'web' }, 'providerInitiatedClientId'],
  ])('members of SAML are refused at an OpenID provider: %j', async (more, member) => {
    const { status, body } = await create(more)
    expect([status, body.message]).toEqual([400, expect.stringContaining(`${member}: must be left out`)])
  })
})

it('changes a provider of which a mapped role was deleted since, and takes no new mapping of it', async () => {
  await management.call('POST', '/projects/portal/roles', { key: 'gone', displayName: 'Gone' }, 'owner')
  const roleMappings = [{ group: 'g', projectId: 'portal', roles: ['gone'] }]
  expect((await create({ groupsClaim: 'groups', roleMappings })).status).toBe(201)
  await management.directory.rows("DELETE FROM directory.project_role WHERE role_key = 'gone'")
  expect((await change({ clientSecret: 'another-secret' })).status).toBe(200)
  const other = [{ group: 'other', projectId: 'portal', roles: ['gone'] }]
  expect((await change({ roleMappings: other })).status).toBe(400)
})

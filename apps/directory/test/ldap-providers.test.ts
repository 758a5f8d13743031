// Identity providers whose server verifies passwords (LDAP), as administrators set them up.
import { PERSISTENT } from '@signet/protocol/saml-provider'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const COLLECTION = '/identity-providers'
const LDAP = {
  ...{ id: 'ldap', organizationId: 'acme', type: 'ldap', name: 'Directory' },
  ...{ clientId: 'cn=signet,dc=example,dc=com', clientSecret: 'the password of signet' },
  ...{ servers: ['ldaps://ldap1.example.com', 'ldap://ldap2.example.com:1389'], baseDn: 'dc=example,dc=com' },
}

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  await management.call('DELETE', `${COLLECTION}/ldap?force=true`, undefined, 'owner')
})

const create = (more: object = {}) => management.call('POST', COLLECTION, { ...LDAP, ...more }, 'owner')
const change = (more: object) => management.call('PATCH', `${COLLECTION}/ldap`, more, 'owner')

it('is created with defaults, and shows no password', async () => {
  const { status, body } = await create()
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      ...{
        type: 'ldap',
        issuer: LDAP.baseDn,
        subjectClaim: 'entryUUID',
        clientAuthentication: 'simple_bind',
      },
      ...{ hasSecret: true, scopes: [], servers: LDAP.servers, baseDn: LDAP.baseDn },
      ...{ objectClass: 'person', nameAttributes: ['uid'], certificates: [] },
    }),
  ])
  expect(JSON.stringify(body)).not.toContain(LDAP.clientSecret)
})

it('sends a stored password to no other server [GHSA-c25h-c27q-5qpv]', async () => {
  await create()
  for (const servers of [['ldaps://evil.example'], [...LDAP.servers, 'ldaps://evil.example']]) {
    const { status, body } = await change({ servers })
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('clientSecret: must be given again'),
    ])
    expect((await change({ servers, clientSecret: null })).status).toBe(400)
  }
  // A shorter list, and another order, sends it to no new place.
  expect((await change({ servers: [...LDAP.servers].reverse() })).status).toBe(200)
  expect((await change({ servers: [LDAP.servers[0]] })).status).toBe(200)
  const moved = { servers: ['ldaps://new.example'], clientSecret: 'another one' }
  expect((await change(moved)).status).toBe(200)
})

it('has authorities of its servers', async () => {
  const { cert, certificate } = await createSelfSigned()
  expect((await create({ certificates: [cert] })).body.certificates).toEqual([
    certificate.raw.toString('base64'),
  ])
  expect((await change({ certificates: [] })).status).toBe(200)
})

describe('is refused with its rule', () => {
  it.each([
    [{ servers: [] }, 'servers: is required'],
    [{ servers: ['https://ldap.example.com'] }, 'servers: must be ldaps'],
    [{ servers: ['ldaps://ldap.example.com/dc=example'] }, 'servers: must be ldaps'],
    [{ servers: ['ldaps://user:password@ldap.example.com'] }, 'servers: must be ldaps'],
    [{ servers: ['ldaps://ldap.example.com?x'] }, 'servers: must be ldaps'],
    [{ servers: ['ldaps://'] }, 'servers: must be ldaps'],
    [{ servers: ['ldapi://%2ftmp%2fx'] }, 'servers: must be ldaps'],
    [{ servers: ['ldaps://a', 'ldaps://a'] }, 'servers: must be ldaps'],
    [{ baseDn: undefined, issuer: 'corp' }, 'baseDn: must be a distinguished name'],
    [{ baseDn: 'example.com' }, 'baseDn: must be a distinguished name'],
    [{ objectClass: 'person)(uid=*' }, 'objectClass: must be a name'],
    [{ objectClass: null }, 'objectClass: is required'],
    [{ nameAttributes: [] }, 'nameAttributes: is required'],
    [{ nameAttributes: ['uid=*)(|(uid'] }, 'nameAttributes'],
    [{ clientId: 'signet' }, 'clientId: must be the distinguished name'],
    [{ clientSecret: undefined }, 'clientSecret: is required'],
    [{ clientAuthentication: 'none', clientSecret: undefined }, 'clientAuthentication: must be simple_bind'],
    [{ subjectClaim: 'uid' }, 'subjectClaim: must be'],
    [{ subjectClaim: 'mail' }, 'subjectClaim: must be'],
    [{ subjectClaim: 'sAMAccountName' }, 'subjectClaim: must be'],
    [{ scopes: ['openid'] }, 'scopes: must be left out'],
    [{ trustedEmailDomains: ['acme.localhost'] }, 'trustedEmailDomains: must be empty'],
    [{ crossAppAccess: true }, 'crossAppAccess: must be false'],
    [{ backchannelLogout: true }, 'backchannelLogout: must be false'],
    [{ rpInitiatedLogout: true }, 'rpInitiatedLogout: must be false'],
    [{ trustsMethods: true }, 'trustsMethods: must be false'],
    [{ ssoUrl: 'https://idp.example' }, 'ssoUrl: must be left out'],
    [{ wantAssertionsSigned: true }, 'wantAssertionsSigned: must be left out'],
    [{ nameIdFormat: PERSISTENT }, 'nameIdFormat: must be left out'],
    [{ assertionConsumerPath: '/saml/acs' }, 'assertionConsumerPath: must be left out'],
    [{ assertionEncryption: 'required' }, 'assertionEncryption: must be left out'],
    [{ signAuthnRequests: true }, 'signAuthnRequests: must be left out'],
    [{ providerInitiated: true }, 'providerInitiated: must be left out'],
    [{ certificates: ['AAAA'] }, 'certificates: must be X.509'],
    [{ groupsClaim: 'memberOf=*' }, 'groupsClaim: must be an attribute'],
    [{ mappedClaims: { userName: 'uid)(x=*' } }, 'mappedClaims: must name attributes'],
    [{ requiredClaims: { 'a b': 'x' } }, 'requiredClaims'],
    [{ requiredClaims: { 'a:b': 'x' } }, 'mappedClaims: must name attributes'],
  ])('%j', async (more, rule) => {
    const { status, body } = await create(more)
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })

  it.each([
    [{ servers: ['ldaps://a'] }, 'servers'],
    [{ baseDn: 'dc=a' }, 'baseDn'],
    [{ objectClass: 'person' }, 'objectClass'],
    [{ nameAttributes: ['uid'] }, 'nameAttributes'],
    [{ clientAuthentication: 'simple_bind' }, 'clientAuthentication'],
  ])('at a provider of another type: %j', async (more, member) => {
    const oidc = { issuer: 'https://idp.example', clientId: 'signet', clientSecret: 'x' }
    const given = { id: 'ldap', organizationId: 'acme', name: 'OIDC', ...oidc, ...more }
    const { status, body } = await management.call('POST', COLLECTION, given, 'owner')
    expect([status, body.message]).toEqual([400, expect.stringContaining(`${member}: `)])
  })

  it.each(['memberOf', 'memberOf:1.2.840.113556.1.4.1941:', 'posixGroup'])(
    'but not with groups by %s',
    async (groupsClaim) => {
      expect((await create({ groupsClaim })).status).toBe(201)
    },
  )
})

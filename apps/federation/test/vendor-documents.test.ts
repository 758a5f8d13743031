// Documents in the shapes of well-known providers: each makes the right assertion, or the refusal with the name of its rule.
import { beforeAll, describe, expect, it } from 'vitest'
import { createAssertion } from '../src/conversation/assertion.ts'
import { verifyIdToken } from '../src/conversation/id-token.ts'
import type { Provider } from '../src/conversation/provider.ts'
import { createProviderDocuments } from '../src/conversation/provider-documents.ts'
import { createSigningKey, type SigningKey, signed } from './fixtures/hostile-provider.ts'
import { PROVIDER } from './fixtures/running-federation.ts'
import { GITHUB_ACTIONS, TENANT, VENDORS } from './fixtures/vendor-documents.ts'

type Members = Readonly<Record<string, unknown>>

const NOW = new Date('2026-01-01T00:00:00Z')
let key: SigningKey
beforeAll(async () => {
  key = await createSigningKey('vendor')
})

/** Serves the document of the issuer and its keys; every other address has none. */
function documentsOf(issuer: string, discovery: Members) {
  const served = new Map<string, unknown>([
    [`${issuer}/.well-known/openid-configuration`, discovery],
    [String(discovery.jwks_uri), { keys: [key.jwk] }],
  ])
  return createProviderDocuments({
    getText: async (url) =>
      served.has(url)
        ? { status: 200, text: JSON.stringify(served.get(url)) }
        : { status: 404, text: 'Not Found' },
    elapsed: () => 0,
  })
}

interface Received {
  /** The provider as an administrator set it up. */
  readonly provider?: Partial<Provider>
  readonly discovery?: Members
  /** Replaces claims of the ID token; undefined takes one out. */
  readonly claims?: Members
  readonly userInfo?: Members
}

async function assertionOf(name: keyof typeof VENDORS, received: Received = {}) {
  const vendor: { discovery: Members; idToken: Members; userInfo?: Members } = VENDORS[name]
  const issuer = String(received.provider?.issuer ?? vendor.discovery.issuer)
  const provider = { ...PROVIDER, type: 'oidc', id: name, ...received.provider, issuer } as Provider
  const documents = documentsOf(issuer, { ...vendor.discovery, ...received.discovery })
  const metadata = await documents.findMetadata(issuer)
  const seconds = NOW.getTime() / 1_000
  const times = { iat: seconds, exp: seconds + 3_600, nonce: 'n' }
  const idToken = await signed({ ...vendor.idToken, ...times, ...received.claims }, key)
  const expected = { provider, metadata, nonce: 'n', authenticatedSince: undefined, now: NOW }
  const claims = await verifyIdToken(idToken, documents, expected)
  return createAssertion(provider, claims, received.userInfo ?? vendor.userInfo)
}

const required = (name: string, value: string) => ({ requiredClaims: [{ name, value }] })
const refusedBy = (rule: string) => expect.objectContaining({ name: 'Refused', rule })

describe('Entra ID', () => {
  const tenant = { subjectClaim: 'oid', ...required('tid', TENANT) }
  const common = { ...tenant, issuer: 'https://login.microsoftonline.com/common/v2.0' }

  it('asserts oid within the issuer of the tenant, and no verified address', async () => {
    const { issuer, subject, tokenSubject, profile } = await assertionOf('entra', { provider: tenant })
    expect([issuer, subject]).toEqual([VENDORS.entra.discovery.issuer, VENDORS.entra.idToken.oid])
    expect(tokenSubject).toBe(VENDORS.entra.idToken.sub)
    expect(profile).toMatchObject({
      ...{ userName: 'ada@acme.example', givenName: 'Ada', familyName: 'Lovelace' },
      ...{ displayName: 'Ada Lovelace', email: 'ada@acme.example', emailVerified: false },
    })
  })

  it.each([
    [true, true],
    [false, false],
    ['1', false],
    [1, false],
    ['true', false],
    [undefined, false],
  ])(
    'takes xms_edov %o for a verified address: %o, only where it is mapped',
    async (xms_edov, isVerified) => {
      const mapped = { ...tenant, mappedClaims: [{ name: 'email_verified', value: 'xms_edov' }] }
      const claims = { xms_edov }
      expect((await assertionOf('entra', { provider: mapped, claims })).profile.emailVerified).toBe(
        isVerified,
      )
      expect((await assertionOf('entra', { provider: tenant, claims })).profile.emailVerified).toBe(false)
    },
  )

  it('asserts a person of the required tenant by the document of all tenants', async () => {
    const { issuer, subject } = await assertionOf('entraCommon', { provider: common })
    expect([issuer, subject]).toEqual([VENDORS.entra.discovery.issuer, VENDORS.entra.idToken.oid])
  })

  const OTHER = '0b1c2d3e-0000-4000-8000-00000000000f'
  const ofOther = { tid: OTHER, iss: `https://login.microsoftonline.com/${OTHER}/v2.0` }
  it.each<[string, string, keyof typeof VENDORS, Received]>([
    ['another tenant', 'issuer_differs', 'entra', { provider: tenant, claims: ofOther }],
    ['another tid alone', 'required_claim_differs', 'entra', { provider: tenant, claims: { tid: OTHER } }],
    ['another tenant of all', 'required_claim_differs', 'entraCommon', { provider: common, claims: ofOther }],
    [
      'a tid that is not that of iss',
      'issuer_differs',
      'entraCommon',
      { provider: common, claims: { iss: ofOther.iss } },
    ],
    ['no tid', 'issuer_differs', 'entraCommon', { provider: common, claims: { tid: undefined } }],
    [
      'a tid that leads out of the path',
      'issuer_differs',
      'entraCommon',
      { provider: common, claims: { tid: '../x', iss: 'https://login.microsoftonline.com/../x/v2.0' } },
    ],
    [
      'all tenants without a required one',
      'required_claim_differs',
      'entraCommon',
      { provider: { ...common, requiredClaims: [] } },
    ],
    ['no oid', 'subject_missing', 'entra', { provider: tenant, claims: { oid: undefined } }],
    [
      'a token of version 1.0',
      'issuer_differs',
      'entra',
      { provider: tenant, claims: { ver: '1.0', iss: `https://sts.windows.net/${TENANT}/` } },
    ],
  ])('refuses %s: %s', async (_name, rule, vendor, received) => {
    await expect(assertionOf(vendor, received)).rejects.toEqual(refusedBy(rule))
  })
})

describe('Google', () => {
  const workspace = required('hd', 'acme.example')

  it('asserts a person of the required domain, with a verified address', async () => {
    const { subject, profile, authenticatedAt, amr } = await assertionOf('google', { provider: workspace })
    expect([subject, authenticatedAt, amr]).toEqual(['110169484474386276334', undefined, []])
    expect(profile).toMatchObject({
      ...{ userName: '', givenName: 'Ada', familyName: 'Lovelace', preferredLanguage: 'en' },
      ...{ email: 'ada@acme.example', emailVerified: true },
    })
  })

  it.each<[string, string, Received]>([
    ['another domain', 'required_claim_differs', { claims: { hd: 'other.example' } }],
    ['a private account', 'required_claim_differs', { claims: { hd: undefined } }],
    ['a domain in capitals', 'required_claim_differs', { claims: { hd: 'ACME.example' } }],
    ['a list of domains', 'required_claim_differs', { claims: { hd: ['acme.example'] } }],
    [
      'the domain in userinfo alone',
      'required_claim_differs',
      { claims: { hd: undefined }, userInfo: VENDORS.google.userInfo },
    ],
    ['the old issuer', 'issuer_differs', { claims: { iss: 'accounts.google.com' } }],
    ['another application', 'audience_differs', { claims: { aud: 'other', azp: 'other' } }],
    ['a token of another party', 'authorized_party_differs', { claims: { azp: 'other' } }],
  ])('refuses %s: %s', async (_name, rule, received) => {
    await expect(assertionOf('google', { provider: workspace, ...received })).rejects.toEqual(refusedBy(rule))
  })

  it.each([false, 'false', 'true', undefined])('takes no address for verified with %o', async (flag) => {
    const { profile } = await assertionOf('google', { claims: { email_verified: flag } })
    expect([profile.email, profile.emailVerified]).toEqual(['ada@acme.example', false])
  })
})

describe('Okta', () => {
  it('asserts groups and methods, and no flag of userinfo for the address of the ID token', async () => {
    const assertion = await assertionOf('okta', { provider: { groupsClaim: 'groups' } })
    expect(assertion).toMatchObject({
      ...{ subject: '00uid4BxXw6I6TV4m0g3', amr: ['pwd', 'mfa', 'otp'], groups: ['Everyone', 'Admins'] },
      authenticatedAt: new Date(1_700_000_000_000),
      profile: { userName: 'ada@acme.example', email: 'ada@acme.example', emailVerified: false },
    })
  })

  it('asserts a verified address where userinfo alone has it', async () => {
    const { profile } = await assertionOf('okta', { claims: { email: undefined } })
    expect([profile.email, profile.emailVerified]).toEqual(['ada@acme.example', true])
  })

  it('refuses a token of an authorization server of its own', async () => {
    const claims = { iss: 'https://acme.okta.com/oauth2/default' }
    await expect(assertionOf('okta', { claims })).rejects.toEqual(refusedBy('issuer_differs'))
  })
})

describe('Apple', () => {
  it.each([
    ['true', false],
    [true, true],
    ['false', false],
    [false, false],
  ])('asserts the person; email_verified %o makes a verified address: %o', async (flag, isVerified) => {
    const { subject, profile } = await assertionOf('apple', { claims: { email_verified: flag } })
    expect(subject).toBe(VENDORS.apple.idToken.sub)
    expect(profile).toMatchObject({ displayName: '', email: VENDORS.apple.idToken.email })
    expect(profile.emailVerified).toBe(isVerified)
  })

  it('asserts a person who shares no address', async () => {
    const { profile } = await assertionOf('apple', { claims: { email: undefined } })
    expect([profile.email, profile.emailVerified]).toEqual(['', false])
  })

  it('refuses a token without a nonce', async () => {
    const nonce = { nonce: undefined, nonce_supported: false }
    await expect(assertionOf('apple', { claims: nonce })).rejects.toEqual(refusedBy('claim_missing'))
  })
})

describe('GitHub', () => {
  it('has no document for the sign-in of people', async () => {
    const documents = documentsOf('https://other.example', {})
    await expect(documents.findMetadata('https://github.com')).rejects.toEqual(refusedBy('unexpected_status'))
  })

  it('signs no person in by the issuer of its jobs', async () => {
    const documents = documentsOf(GITHUB_ACTIONS.issuer, GITHUB_ACTIONS)
    const found = documents.findMetadata(GITHUB_ACTIONS.issuer)
    await expect(found).rejects.toEqual(refusedBy('discovery_malformed'))
  })
})

it.each(Object.keys(VENDORS) as (keyof typeof VENDORS)[])(
  'refuses a document of %s that names another issuer',
  async (name) => {
    const { issuer } = VENDORS[name].discovery
    const asked = issuer.replace('{tenantid}', 'common')
    const documents = documentsOf(asked, { ...VENDORS[name].discovery, issuer: 'https://evil.example' })
    await expect(documents.findMetadata(asked)).rejects.toEqual(refusedBy('discovery_issuer_differs'))
  },
)

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment()
})
beforeEach(() => on.renew())
afterAll(() => on?.stop())

type Claims = Readonly<Record<string, unknown>>

async function profileOf(claims: Claims, userInfo: Claims = {}) {
  on.upstream.claims = claims
  on.upstream.userInfo = userInfo
  const { assertion, refusal } = await on.signIn()
  expect(refusal).toBeUndefined()
  return assertion?.profile
}

describe('e-mail and its flag', () => {
  it('the flag of userinfo says nothing about the address of the ID token [CVE-2026-14781]', async () => {
    expect(
      await profileOf({ email: 'victim@example.com' }, { email: 'own@example.com', email_verified: true }),
    ).toMatchObject({ email: 'victim@example.com', emailVerified: false })
  })

  it('the flag of the ID token says nothing about the address of userinfo [CVE-2026-14781]', async () => {
    expect(await profileOf({ email_verified: true }, { email: 'victim@example.com' })).toMatchObject({
      ...{ email: 'victim@example.com', emailVerified: false },
    })
  })

  it.each([
    ['"false"', 'false'],
    ['"true"', 'true'],
    ['1', 1],
    ['"yes"', 'yes'],
    ['{}', {}],
    ['[true]', [true]],
    ['null', null],
  ])('email_verified of %s is not true [CVE-2026-53516]', async (_, flag) => {
    const claims = {
      email: 'alice@example.com',
      email_verified: flag,
      phone_number: '+49 30 1',
      phone_number_verified: flag,
    }
    expect(await profileOf(claims)).toMatchObject({
      ...{ email: 'alice@example.com', emailVerified: false, phone: '+49 30 1', phoneVerified: false },
    })
  })

  it('JSON true in the document of the address counts', async () => {
    const claims = {
      email: 'alice@example.com',
      email_verified: true,
      phone_number: '+49 30 1',
      phone_number_verified: true,
    }
    expect(await profileOf(claims)).toMatchObject({ emailVerified: true, phoneVerified: true })
    await on.renew()
    expect(await profileOf({}, claims)).toMatchObject({ email: 'alice@example.com', emailVerified: true })
  })

  it('an address of another claim is not verified by the flag of the standard one', async () => {
    on.set({ mappedClaims: [{ name: 'email', value: 'upn' }] })
    const claims = { upn: 'alice@tenant.example', email: 'own@example.com', email_verified: true }
    expect(await profileOf(claims)).toMatchObject({ email: 'alice@tenant.example', emailVerified: false })
  })

  it.each(['no address', 'a@b\r\nBcc: c@d.example', `${'x'.repeat(400)}@example.com`, 7, ['a@example.com']])(
    'a value that is no address is left out: %j',
    async (email) => {
      expect(await profileOf({ email, email_verified: true })).toMatchObject({
        email: '',
        emailVerified: false,
      })
    },
  )
})

describe('userinfo', () => {
  it.each(['bob', '', undefined, 7, ['alice'], 'Alice'])(
    'of the subject %j is refused: it is about another person [CVE-2026-134312]',
    async (sub) => {
      on.upstream.userInfo = { sub, email: 'bob@example.com' }
      expect(await on.signIn()).toMatchObject({
        assertion: undefined,
        refusal: { rule: 'userinfo_subject_differs' },
      })
    },
  )

  it('a provider without userinfo is not asked for it', async () => {
    on.upstream.discovery = { userinfo_endpoint: undefined }
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    expect(on.upstream.asked('/userinfo')).toBe(0)
  })

  it.each([
    [401, 'userinfo_refused', false],
    [403, 'userinfo_refused', false],
    [404, 'unexpected_status', false],
    [503, 'provider_failed', true],
  ])('a status %i is refused as %s', async (status, rule, temporary) => {
    on.upstream.answers.set('/userinfo', (_, res) => void res.writeHead(status).end('{}'))
    expect((await on.signIn()).refusal).toMatchObject({ rule, temporary })
  })

  it('that is no JSON object is refused', async () => {
    for (const body of ['[]', '"alice"', 'eyJhbGciOiJub25lIn0.e30.', '{"sub":"alice"', '']) {
      on.upstream.answers.set('/userinfo', (_, res) => void res.end(body))
      expect((await on.signIn()).refusal?.rule).toBe('answer_malformed')
    }
  })
})

describe('required claims', () => {
  it.each<[string, unknown, boolean]>([
    ['the value', 'acme.example', true],
    ['another value', 'evil.example', false],
    ['another case', 'ACME.example', false],
    ['a value that contains it', 'acme.example.evil.example', false],
    ['a list with it', ['acme.example'], false],
    ['none', undefined, false],
  ])('of the hosted domain: %s', async (_, hd, isAccepted) => {
    on.set({ requiredClaims: [{ name: 'hd', value: 'acme.example' }] })
    on.upstream.claims = { hd }
    on.upstream.userInfo = { hd: 'acme.example' }
    const { assertion, refusal } = await on.signIn()
    expect(assertion?.subject).toBe(isAccepted ? 'alice' : undefined)
    expect(refusal?.rule).toBe(isAccepted ? undefined : 'required_claim_differs')
  })
})

describe('an issuer of several tenants', () => {
  const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad'
  /** Serves the document of `common` as login.microsoftonline.com does: its issuer has `{tenantid}`. */
  function useTenants() {
    const { issuer } = on.upstream
    on.upstream.answers.set('/common/v2.0/.well-known/openid-configuration', (_, res) => {
      const endpoints = {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      }
      res.end(JSON.stringify({ issuer: `${issuer}/{tenantid}/v2.0`, ...endpoints }))
    })
    on.set({ issuer: `${issuer}/common/v2.0`, requiredClaims: [{ name: 'tid', value: TENANT }] })
  }

  it('is compared after the tenant of the token was inserted', async () => {
    useTenants()
    on.upstream.claims = { iss: `${on.upstream.issuer}/${TENANT}/v2.0`, tid: TENANT }
    expect((await on.signIn()).assertion?.issuer).toBe(`${on.upstream.issuer}/${TENANT}/v2.0`)
  })

  it('signs no person in where no claim says which tenant is meant', async () => {
    useTenants()
    on.set({ issuer: `${on.upstream.issuer}/common/v2.0`, requiredClaims: [] })
    on.upstream.claims = { iss: `${on.upstream.issuer}/${TENANT}/v2.0`, tid: TENANT }
    expect((await on.signIn()).refusal?.rule).toBe('required_claim_differs')
  })

  it.each<[string, string, unknown]>([
    ['of another tenant than tid', 'another-tenant', TENANT],
    ['without tid', TENANT, undefined],
    ['with a path as tid', '../evil', '../evil'],
  ])('%s is refused', async (_, inIssuer, tid) => {
    useTenants()
    on.upstream.claims = { iss: `${on.upstream.issuer}/${inIssuer}/v2.0`, tid }
    expect((await on.signIn()).refusal?.rule).toBe('issuer_differs')
  })
})

describe('members of the assertion', () => {
  it('the subject is the claim that the provider is set up with', async () => {
    on.set({ subjectClaim: 'oid' })
    on.upstream.claims = { oid: 'object-of-alice' }
    expect((await on.signIn()).assertion?.subject).toBe('object-of-alice')
  })

  it.each([undefined, '', 7, 'x'.repeat(256), 'a\nb'])(
    'without a usable one (%j) the sign-in is refused',
    async (oid) => {
      on.set({ subjectClaim: 'oid' })
      on.upstream.claims = { oid }
      on.upstream.userInfo = { oid: 'from-userinfo' }
      expect((await on.signIn()).refusal?.rule).toBe('subject_missing')
    },
  )

  it('mapped claims take the place of the standard ones', async () => {
    on.set({
      mappedClaims: [
        { name: 'user_name', value: 'upn' },
        { name: 'display_name', value: 'cn' },
      ],
    })
    const claims = {
      upn: 'alice@tenant.example',
      preferred_username: 'other',
      cn: 'Alice L.',
      locale: 'de-DE',
      nickname: 'Al',
    }
    expect(await profileOf(claims)).toMatchObject({
      ...{
        userName: 'alice@tenant.example',
        displayName: 'Alice L.',
        preferredLanguage: 'de-DE',
        nickName: 'Al',
      },
    })
  })

  it('texts that are too long, have control characters or are none are left out', async () => {
    const claims = {
      name: 'x'.repeat(201),
      given_name: 'Al\u0000ice',
      family_name: { first: 'L' },
      nickname: 'a\u202eb',
    }
    expect(await profileOf(claims)).toMatchObject({
      displayName: '',
      givenName: '',
      familyName: '',
      nickName: '',
    })
  })

  it('groups are the texts of a list of at most 200', async () => {
    on.set({ groupsClaim: 'groups' })
    on.upstream.claims = { groups: ['staff', 7, null, 'x'.repeat(501), 'a\nb', 'admins'] }
    expect((await on.signIn()).assertion?.groups).toEqual(['staff', 'admins'])
    on.upstream.claims = { groups: 'staff' }
    expect((await on.signIn()).assertion?.groups).toEqual([])
    on.upstream.claims = { groups: Array.from({ length: 201 }, (_, index) => `group-${index}`) }
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'too_many_groups', received: '201' })
  })

  it('names of members of objects are no claims', async () => {
    on.set({ groupsClaim: '__proto__', mappedClaims: [{ name: 'display_name', value: 'constructor' }] })
    expect(await profileOf({})).toMatchObject({ displayName: '' })
  })
})

// A person signs in by an identity provider of SAML 2.0: through login, federation and the directory.
import { inflateRawSync } from 'node:zlib'
import { createCertificateAuthority, rsaPss } from '@signet/testing/client-certificates'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedLogoutQuery, signedResponse } from './saml-partner.ts'

const ENTITY_ID = 'urn:example:idp'
const AUDIENCE = 'https://id.example.com/saml/acme'
const CALLBACK = '/ui/identity-providers/saml/callback'

let system: TestSystem
let key: string
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
  const own = await createCertificateAuthority('CN=idp', rsaPss('SHA-256'))
  key = own.key
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'saml', organizationId: 'acme', type: 'saml', name: 'SAML', issuer: ENTITY_ID },
    ...{ clientId: AUDIENCE, ssoUrl: 'https://idp.example/sso', certificates: [own.cert] },
    ...{ creationAllowed: true },
  })
  expect(created.status).toBe(201)
}, 120_000)
afterAll(() => system?.stop())

/** Begins a sign-in in a new browser, and returns what the provider gets. */
async function begin() {
  const browser = system.newBrowser()
  const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
  const away = await browser.press(page, 'provider-1')
  const { searchParams, origin } = new URL(away.headers.get('location') ?? '')
  expect(origin).toBe('https://idp.example')
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const [, requestId = ''] = / ID="([^"]*)"/.exec(request) ?? []
  return { browser, requestId, relayState: searchParams.get('RelayState') ?? '' }
}

const response = (requestId: string | undefined, subject: string, path = CALLBACK) =>
  signedResponse({
    ...{ subject, key, entityId: ENTITY_ID, audience: AUDIENCE },
    ...(requestId !== undefined && { requestId }),
    consumer: `${system.issuer}${path}`,
  })

/** Posts a response as a page of the provider does, and follows the redirects. */
async function answer(
  { browser, relayState }: Awaited<ReturnType<typeof begin>>,
  xml: string,
  path = CALLBACK,
) {
  const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState }
  const kept = await browser.send(path, form, { withCookies: false })
  expect(kept.status).toBe(303)
  return browser.open(kept.headers.get('location') ?? '')
}

it('makes an account at the first sign-in, finds it at the second, and takes no changed response', async () => {
  const first = await begin()
  const xml = response(first.requestId, 'alice-of-idp')
  const page = await answer(first, xml)
  const question = page.headers.get('location') ?? page.body
  expect(question).toContain(REDIRECT_URI.split('?')[0])

  const second = await begin()
  const again = await answer(second, response(second.requestId, 'alice-of-idp'))
  expect(again.headers.get('location')).toContain('code=')

  const third = await begin()
  const forged = response(third.requestId, 'alice-of-idp').replace('alice-of-idp', 'bob')
  const refused = await answer(third, forged)
  expect(refused.headers.get('location') ?? '').not.toContain('code=')
  expect(refused.body).not.toContain('code=')
})

it('takes the assertion of a partner that goes on posting to the path of the product before', async () => {
  const path = '/login/callback?connection=acme-okta'
  const set = (assertionConsumerPath: string | null) =>
    system.manage('PATCH', '/identity-providers/saml', { assertionConsumerPath })
  expect((await set(path)).status).toBe(200)
  const first = await begin()
  const page = await answer(first, response(first.requestId, 'alice-of-idp', path), path)
  expect(page.headers.get('location')).toContain('code=')

  const { browser, relayState, requestId } = await begin()
  const form = {
    SAMLResponse: Buffer.from(response(requestId, 'alice-of-idp', path)).toString('base64'),
    RelayState: relayState,
  }
  const post = (at: string, sent: Record<string, string> = form) =>
    browser.send(at, sent, { withCookies: false })
  for (const other of [
    ...[
      '/login/callback',
      '/login/callback?connection=acme',
      `${path}&more=1`,
      `/Login/callback?connection=acme-okta`,
    ],
    ...[
      '/login/callback/?connection=acme-okta',
      '/realms/acme/broker/okta/endpoint',
      '/login/%63allback?connection=acme-okta',
    ],
  ]) {
    expect([other, (await post(other)).status]).toEqual([other, 404])
  }
  expect((await post(path, { code: 'x', state: relayState })).status).toBe(404)
  expect((await post(path, { ...form, RelayState: 'https://evil.example' })).status).toBe(400)
  expect((await browser.open(path)).status).toBe(405)
  expect((await set(null)).status).toBe(200)
  expect((await post(path)).status).toBe(404)
})

describe('a sign-in that begins at the provider', () => {
  const set = async (members: object) =>
    expect((await system.manage('PATCH', '/identity-providers/saml', members)).status).toBe(200)
  const accounts = async () =>
    ((await system.manage('GET', '/users?organizationId=acme&limit=100')).json.items as object[]).length
  /** Posts a valid assertion for no request. */
  const post = (browser: Browser, subject: string, relayState?: string) => {
    const form = { SAMLResponse: Buffer.from(response(undefined, subject)).toString('base64') }
    const sent = { ...form, ...(relayState !== undefined && { RelayState: relayState }) }
    return browser.send(CALLBACK, sent, { withCookies: false })
  }
  type Browser = ReturnType<typeof system.newBrowser>
  /** Follows redirects up to the provider. */
  const leave = async (browser: Browser, subject: string) => {
    const kept = await post(browser, subject)
    expect(kept.status).toBe(303)
    const away = new URL(
      (await browser.open(kept.headers.get('location') ?? '')).headers.get('location') ?? '',
    )
    expect(away.origin).toBe('https://idp.example')
    const request = inflateRawSync(
      Buffer.from(away.searchParams.get('SAMLRequest') ?? '', 'base64'),
    ).toString()
    const [, requestId = ''] = / ID="([^"]*)"/.exec(request) ?? []
    return { browser, requestId, relayState: away.searchParams.get('RelayState') ?? '' }
  }

  it('is refused at first, and makes no account', async () => {
    const before = await accounts()
    const refused = await post(system.newBrowser(), 'from-the-tile')
    expect([refused.status, refused.body.includes('did not begin here')]).toEqual([400, true])
    expect(await accounts()).toBe(before)
  })

  it('takes the response to a request of its own, and no assertion without one', async () => {
    await set({ providerInitiated: true })
    const before = await accounts()
    const browser = system.newBrowser()
    const begun = await expect
      .poll(async () => (await post(browser, 'mallory')).status, { timeout: 20_000 })
      .toBe(303)
      .then(() => leave(browser, 'mallory'))
    expect(await accounts()).toBe(before)
    const end = await answer(begun, response(begun.requestId, 'from-the-tile'))
    expect([end.status, end.body]).toEqual([200, expect.stringContaining('id="account-login-name"')])
    expect(await accounts()).toBe(before + 1)

    // The assertion of a provider that names our sign-in and no request is refused.
    const second = await leave(system.newBrowser(), 'mallory')
    const kept = await post(second.browser, 'mallory', second.relayState)
    const page = await second.browser.open(kept.headers.get('location') ?? '')
    expect(page.body).toContain('was not accepted')
    expect(await accounts()).toBe(before + 1)
  })

  it('obeys what the provider may do with accounts (Keycloak CVE-2026-16442)', async () => {
    await set({ creationAllowed: false, linkingAllowed: true })
    const before = await accounts()
    const linkOnly = await leave(system.newBrowser(), 'nobody-yet')
    const offer = await answer(linkOnly, response(linkOnly.requestId, 'nobody-yet'))
    expect(offer.body).toContain('unlinked-link')
    expect(offer.body).not.toContain('unlinked-create')
    await set({ linkingAllowed: false })
    const none = await leave(system.newBrowser(), 'nobody-yet')
    expect((await answer(none, response(none.requestId, 'nobody-yet'))).body).toContain('cannot be used')
    expect(await accounts()).toBe(before)
    await set({ creationAllowed: true, providerInitiated: false })
  })
})

it('serves the metadata that the administrator of the provider imports', async () => {
  const { status, body } = await system.newBrowser().open('/ui/identity-providers/saml/metadata')
  expect(status).toBe(200)
  expect(body).toContain(`entityID="${AUDIENCE}"`)
  expect(body).toContain(`Location="${system.issuer}${CALLBACK}"`)
  expect((await system.newBrowser().open('/ui/identity-providers/none/metadata')).status).toBe(404)
})

it('signs out on both sides, whichever begins', async () => {
  const set = await system.manage('PATCH', '/identity-providers/saml', {
    ...{ sloUrl: 'https://idp.example/slo', rpInitiatedLogout: true, backchannelLogout: true },
  })
  expect([set.status, (set.json.ownCertificates as unknown[]).length]).toEqual([200, 1])
  const path = '/ui/identity-providers/saml/single-logout'
  const destination = `${system.issuer}${path}`
  const signedIn = async (sessionIndex: string) => {
    const begun = await begin()
    const { requestId } = begun
    const values = { requestId, subject: 'alice-of-idp', key, entityId: ENTITY_ID, audience: AUDIENCE }
    const xml = signedResponse({ ...values, consumer: `${system.issuer}${CALLBACK}`, sessionIndex })
    expect((await answer(begun, xml)).headers.get('location')).toContain('code=')
    return begun.browser
  }
  const isSignedIn = async (browser: Awaited<ReturnType<typeof signedIn>>) => {
    const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
    const page = await browser.open(
      `/oauth/v2/authorize?${new URLSearchParams({ ...query, prompt: 'none' })}`,
    )
    return page.headers.get('location')?.includes('code=') === true
  }
  const [first, second] = [await signedIn('s1'), await signedIn('s2')]

  const content = '<saml:NameID>alice-of-idp</saml:NameID><samlp:SessionIndex>s1</samlp:SessionIndex>'
  const values = { entityId: ENTITY_ID, destination, content }
  const query = signedLogoutQuery({ name: 'LogoutRequest', ...values }, { key, relayState: 'theirs' })
  const ended = await first.open(`${path}?${query}`)
  const location = new URL(ended.headers.get('location') ?? '')
  expect([ended.status, location.pathname, location.searchParams.get('RelayState')]).toEqual([
    ...[303, '/slo', 'theirs'],
  ])
  expect(await Promise.all([first, second].map(isSignedIn))).toEqual([false, true])
  const again = await second.open(`${path}?${query}`)
  expect([again.status, again.body.includes('logout_message_used')]).toEqual([400, true])

  const away = await second.submit(await second.open('/ui/logout'), {})
  const { searchParams, origin } = new URL(away.headers.get('location') ?? '')
  expect(origin).toBe('https://idp.example')
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  expect(request).toContain('>alice-of-idp</saml:NameID><samlp:SessionIndex>s2</samlp:SessionIndex>')
  expect(await isSignedIn(second)).toBe(false)
  const [, inResponseTo = ''] = / ID="([^"]*)"/.exec(request) ?? []
  const status = `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`
  const response = signedLogoutQuery(
    { name: 'LogoutResponse', inResponseTo, entityId: ENTITY_ID, destination, content: status },
    { key, relayState: searchParams.get('RelayState') ?? '' },
  )
  const back = await second.open(`${path}?${response}`)
  // The last page of a sign-out: no application asked.
  expect([back.status, back.body.includes('id="account-open"')]).toEqual([200, true])
  expect((await second.open(`${path}?${response}`)).body).toContain('request_unknown')
})

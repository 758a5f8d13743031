// People of one installation sign in at another one, which is its identity provider.

import { generateKeyPairSync } from 'node:crypto'
import type { Page } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import {
  bootstrapDocument,
  PASSWORD,
  POST_LOGOUT_URI,
  REDIRECT_URI,
  WEB_SECRET,
} from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let system: TestSystem
let upstream: TestSystem

const CALLBACK = '/ui/identity-providers/corporate/callback'

beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
  const document = bootstrapDocument({
    redirectUris: [`${system.issuer}${CALLBACK}`],
    postLogoutRedirectUris: [`${system.issuer}/ui/logout/identity-provider`],
  })
  upstream = await startSystem({ mode: 'in-process', document })
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'corporate', organizationId: 'acme', name: 'Corporate', issuer: upstream.issuer },
    ...{ clientId: 'web', clientSecret: WEB_SECRET, scopes: ['openid', 'profile', 'email'] },
    ...{ linkingAllowed: true, creationAllowed: true, trustedEmailDomains: ['acme.localhost'] },
  })
  expect([created.status, created.json]).toEqual([201, expect.objectContaining({ hasSecret: true })])
}, 120_000)
afterAll(async () => {
  await upstream?.stop()
  await system?.stop()
})
beforeEach(async () => {
  await change({ linkingAllowed: true, creationAllowed: true })
})

const change = async (members: object) =>
  expect((await system.manage('PATCH', '/identity-providers/corporate', members)).status).toBe(200)

const locationOf = ({ headers }: Page) => headers.get('location') ?? ''

const authorizePath = (parameters: Readonly<Record<string, string>> = {}) =>
  `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid email profile', ...parameters })}`

/** Signs in at the provider, and returns the address with which it sends the browser back. */
async function authenticate(location: string, loginName: string, browser = upstream.newBrowser()) {
  expect(location).toContain(`${upstream.issuer}/oauth/v2/authorize?`)
  const page = await browser.open(location)
  const answer =
    page.status === 200 ? await browser.submit(page, { login_name: loginName, password: PASSWORD }) : page
  const back = locationOf(answer)
  expect(back).toContain(`${system.issuer}${CALLBACK}?`)
  return back
}

/** Presses the button of the provider on the sign-in page, and comes back from it. */
async function signInBy(
  loginName: string,
  browser = system.newBrowser(),
  parameters: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const away = await browser.press(await browser.open(authorizePath(parameters)), 'provider-1')
  return browser.open(await authenticate(locationOf(away), loginName))
}

const isAnswered = (page: Page) =>
  locationOf(page).startsWith(`${REDIRECT_URI}?`) && locationOf(page).includes('code=')

async function linksOf(userId: string) {
  const { json } = await system.manage('GET', `/users/${userId}/identity-links`)
  return json.items as readonly Readonly<Record<string, unknown>>[]
}

it('makes an account for a new person, and signs the same account in again', async () => {
  const browser = system.newBrowser()
  const question = await signInBy('bob', browser)
  expect(question.body).toContain('unlinked-create')
  const answer = await browser.press(question, 'unlinked-create')
  expect(isAnswered(answer)).toBe(true)

  const events = await system.manage('GET', '/audit?action=registration')
  expect(events.json.items).toMatchObject([{ details: { provider_id: 'corporate' } }])
  // The next time, in another browser, nothing is asked.
  const again = await signInBy('bob')
  expect(isAnswered(again)).toBe(true)
})

it('links no account by its address (Logto CVE-2026-15611)', async () => {
  // The person has the address of alice, which the provider says is verified, and which it is trusted for.
  const page = await signInBy('alice')
  expect(page.body).toContain('unlinked-create')
  expect(await linksOf('alice')).toEqual([])
})

it('links an account after a sign-in with its password, and finds it by the link afterwards', async () => {
  const browser = system.newBrowser()
  const question = await signInBy('carol', browser)
  const [, login = ''] = /id="unlinked-link" href="([^"]*)"/.exec(question.body) ?? []
  const asks = await browser.submit(await browser.open(login), { login_name: 'dora', password: PASSWORD })
  expect(asks.body).toContain('link-accept')
  expect(await linksOf('dora')).toEqual([])
  const answer = await browser.press(asks, 'link-accept')
  expect(isAnswered(await browser.open(locationOf(answer)))).toBe(true)
  expect(await linksOf('dora')).toEqual([
    expect.objectContaining({ subject: 'carol', issuer: upstream.issuer }),
  ])

  const page = await signInBy('carol')
  const { json } = await redeem(page)
  expect(claimsOf(json.id_token)).toMatchObject({ sub: 'dora' })
})

it('signs a deactivated person not in', async () => {
  expect((await system.manage('PATCH', '/users/dora', { state: 'inactive' })).status).toBe(200)
  const page = await signInBy('carol')
  expect(page.body).toContain('cannot be used to sign in here')
  await system.manage('PATCH', '/users/dora', { state: 'active' })
  expect(isAnswered(await signInBy('carol'))).toBe(true)
})

it('refuses a provider that is deactivated while the person is there (ZITADEL CVE-2025-64717)', async () => {
  const browser = system.newBrowser()
  const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
  const back = await authenticate(locationOf(away), 'carol')
  expect((await system.manage('POST', '/identity-providers/corporate/deactivate', {})).status).toBe(200)
  const page = await browser.open(back)
  expect(page.body).toContain('This way to sign in is not offered any more')
  const offers = async () => (await system.newBrowser().open(authorizePath())).body.includes('provider-1')
  await expect.poll(offers).toBe(false)
  expect((await system.manage('POST', '/identity-providers/corporate/activate', {})).status).toBe(200)
  await expect.poll(offers).toBe(true)
  expect(isAnswered(await signInBy('carol'))).toBe(true)
})

it('signs people in where it authenticates by a key, as one Signet at another', async () => {
  const app = await upstream.manage('POST', '/applications', {
    ...{ projectId: 'portal', name: 'Keyed', type: 'web', authMethod: 'private_key_jwt' },
    redirectUris: [`${system.issuer}${CALLBACK}`],
  })
  expect([app.status, app.json]).toEqual([201, expect.anything()])
  const { privateKey } = generateKeyPairSync('ed25519')
  const jwk = privateKey.export({ format: 'jwk' })
  const { d: _, ...publicKeyJwk } = jwk
  const keys = `/applications/${app.json.id}/keys`
  const key = await upstream.manage('POST', keys, { publicKeyJwk, expiresAt: '2100-01-01T00:00:00Z' })
  expect([key.status, key.json]).toEqual([201, expect.anything()])
  const clientSecret = JSON.stringify({ ...jwk, kid: key.json.id })
  const keyed = { clientId: app.json.clientId, clientAuthentication: 'private_key_jwt', clientSecret }
  await change(keyed)
  try {
    await expect.poll(async () => isAnswered(await signInBy('carol'))).toBe(true)
  } finally {
    const basic = { clientAuthentication: 'client_secret_basic', clientSecret: WEB_SECRET }
    await change({ clientId: 'web', ...basic })
  }
})

it('takes an answer once, and in its own browser alone', async () => {
  const browser = system.newBrowser()
  const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
  const back = await authenticate(locationOf(away), 'carol')
  const other = system.newBrowser()
  await other.open(authorizePath())
  expect((await other.send(back)).status).toBe(400)
  const answers = await Promise.all([browser.send(back), browser.send(back)])
  expect(answers.filter(isAnswered)).toHaveLength(1)
})

it('comes back from a provider where the person has declined', async () => {
  const browser = system.newBrowser()
  const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
  const state = new URL(locationOf(away)).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, error: 'access_denied', iss: upstream.issuer })
  const page = await browser.open(`${CALLBACK}?${query}`)
  expect(page.body).toContain('was cancelled')
})

it('asks for a new authentication with prompt=login, and returns its time', async () => {
  const browser = system.newBrowser()
  const session = upstream.newBrowser()
  const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
  await browser.open(await authenticate(locationOf(away), 'carol', session))
  const again = await browser.press(await browser.open(authorizePath({ prompt: 'login' })), 'provider-1')
  const parameters = new URL(locationOf(again)).searchParams
  expect(parameters.get('prompt')).toBe('login')
  const page = await browser.open(await authenticate(locationOf(again), 'carol', session))
  const { auth_time: time } = claimsOf((await redeem(page)).json.id_token)
  expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
})

it('ends the session and its tokens when the person signs out at the provider', async () => {
  const logoutUri = `${system.issuer}/ui/identity-providers/corporate/backchannel-logout`
  const { json: found } = await upstream.manage('GET', '/applications?limit=200')
  const web = (found.items as readonly { readonly id: string; readonly clientId: string }[]).find(
    ({ clientId }) => clientId === 'web',
  )
  const registered = await upstream.manage('PATCH', `/applications/${web?.id}`, {
    backChannelLogoutUri: logoutUri,
  })
  expect([registered.status, registered.json]).toEqual([200, expect.anything()])

  async function signInAndOutAtProvider() {
    const browser = system.newBrowser()
    const atProvider = upstream.newBrowser()
    const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
    const signedIn = await browser.open(await authenticate(locationOf(away), 'carol', atProvider))
    const { json } = await redeem(signedIn)
    const out = await atProvider.open('/ui/logout')
    await atProvider.press(out, 'logout-confirm')
    const isSignedIn = async () => isAnswered(await browser.send(authorizePath({ prompt: 'none' })))
    return { isSignedIn, accessToken: String(json.access_token) }
  }
  const isTokenGood = async (token: string) =>
    (await system.fetch('/oidc/v1/userinfo', { headers: { authorization: `Bearer ${token}` } })).status ===
    200

  await change({ backchannelLogout: true })
  const after = await signInAndOutAtProvider()
  await expect.poll(after.isSignedIn).toBe(false)
  await expect.poll(() => isTokenGood(after.accessToken)).toBe(false)
})

it('signs a person out at the provider too, and then goes on to the application', async () => {
  await change({ backchannelLogout: false, rpInitiatedLogout: true })
  const browser = system.newBrowser()
  const atProvider = upstream.newBrowser()
  async function signIn() {
    const away = await browser.press(await browser.open(authorizePath()), 'provider-1')
    const signedIn = await browser.open(await authenticate(locationOf(away), 'carol', atProvider))
    return String((await redeem(signedIn)).json.id_token)
  }
  async function signOut(hint: string) {
    const more = { post_logout_redirect_uri: POST_LOGOUT_URI, state: 'app' }
    return browser.send(`/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: hint, ...more })}`)
  }
  const isSignedIn = async () => isAnswered(await browser.send(authorizePath({ prompt: 'none' })))
  const isSignedInThere = async () => {
    const query = new URL(authorizePath({ prompt: 'none' }), upstream.issuer).searchParams
    query.set('redirect_uri', `${system.issuer}${CALLBACK}`)
    return locationOf(await atProvider.send(`/oauth/v2/authorize?${query}`)).includes('code=')
  }

  const away = await signOut(await signIn())
  expect(await isSignedIn()).toBe(false)
  const address = new URL(locationOf(away))
  expect(address.origin + address.pathname).toBe(`${upstream.issuer}/oidc/v1/end_session`)
  const { state, ...others } = Object.fromEntries(address.searchParams)
  const returnAddress = `${system.issuer}/ui/logout/identity-provider`
  expect(others).toEqual({ client_id: 'web', post_logout_redirect_uri: returnAddress })
  // The provider asks, since another site may lead here.
  expect(await isSignedInThere()).toBe(true)
  const back = await atProvider.press(await atProvider.open(address.href), 'logout-confirm')
  expect(locationOf(back)).toBe(`${returnAddress}?state=${state}`)
  expect(await isSignedInThere()).toBe(false)
  expect(locationOf(await browser.send(locationOf(back)))).toBe(`${POST_LOGOUT_URI}?state=app`)
  // Once.
  expect(locationOf(await browser.send(locationOf(back)))).toBe('/ui/logout/done')

  // A person who stays at the provider is signed out here; a return of another browser leads nowhere.
  const second = await signOut(await signIn())
  const forged = new URL(locationOf(second)).searchParams.get('state') ?? ''
  const stranger = system.newBrowser()
  await stranger.open(authorizePath())
  const reply = await stranger.send(`/ui/logout/identity-provider?${new URLSearchParams({ state: forged })}`)
  expect(locationOf(reply)).toBe('/ui/logout/done')
  expect(await isSignedIn()).toBe(false)

  await change({ rpInitiatedLogout: false })
  expect(locationOf(await signOut(await signIn()))).toBe(`${POST_LOGOUT_URI}?state=app`)
})

interface TestLink {
  readonly id: string
  readonly url: string
}

/** Opens the link of a test, and signs in at the provider. */
async function runTest({ url }: TestLink, loginName: string, browser = system.newBrowser()) {
  const page = await browser.open(url.slice(system.issuer.length))
  const away = await browser.press(page, 'test-start')
  return browser.open(await authenticate(locationOf(away), loginName))
}

const TESTS = '/identity-providers/corporate/tests'
const newTest = async () => (await system.manage('POST', TESTS)).json as unknown as TestLink
const take = ({ id }: TestLink) => system.manage('POST', `${TESTS}/${id}/take`)

it('tests a provider: shows claims and account of a new person, and changes nothing', async () => {
  const numbers = async () => {
    const { json } = await system.manage('GET', '/users?organizationId=acme&limit=200')
    const { json: audit } = await system.manage('GET', '/audit?action=registration')
    return [json.items, audit.items, await linksOf('alice')]
  }
  const before = await numbers()
  const link = await newTest()
  expect((await take(link)).json).toEqual({ state: 'waiting' })
  const browser = system.newBrowser()
  const page = await runTest(link, 'alice', browser)
  expect(page.body).toContain('would be asked whether to link an account')
  expect(await numbers()).toEqual(before)
  // The browser is signed in to nothing.
  expect((await browser.open('/ui/account')).body).toContain('login_name')

  const { json } = await take(link)
  expect(json).toMatchObject({
    ...{ state: 'done', outcome: 'asks', mayLink: true, mayCreate: true, issuer: upstream.issuer },
    account: { email: { address: 'alice@acme.localhost', verified: false }, roles: [] },
    documents: { id_token: { nonce: '(hidden)', sub: 'alice' }, userinfo: { sub: 'alice' } },
  })
  expect(json.account).not.toHaveProperty('userId')
  expect((await take(link)).status).toBe(404)
})

it('tests a provider with a linked person, a refused one and a mapping', async () => {
  const linked = await newTest()
  await runTest(linked, 'carol')
  expect((await take(linked)).json).toMatchObject({ outcome: 'signs_in', account: { userId: 'dora' } })

  await change({ linkingAllowed: false, creationAllowed: false })
  const closed = await newTest()
  await runTest(closed, 'alice')
  expect((await take(closed)).json).toMatchObject({ outcome: 'refused', rule: 'no_account' })

  await change({ requiredClaims: { tenant: 'acme' } })
  const strict = await newTest()
  await runTest(strict, 'carol')
  expect((await take(strict)).json).toMatchObject({
    outcome: 'provider_refused',
    refusedBy: { rule: 'required_claim_differs', expected: '{"tenant":"acme"}' },
  })
  await change({ requiredClaims: {} })
})

it('answers a test to its own administrator, and forgets the link of before', async () => {
  const first = await newTest()
  const second = await newTest()
  expect((await system.newBrowser().open(first.url.slice(system.issuer.length))).status).toBe(400)
  expect((await take(first)).status).toBe(404)
  await runTest(second, 'carol')
  expect((await take({ ...second, id: first.id })).status).toBe(404)
  expect((await take(second)).status).toBe(200)
})

function redeem(page: Page) {
  const code = new URL(locationOf(page)).searchParams.get('code') ?? ''
  const authorization = `Basic ${Buffer.from(`web:${WEB_SECRET}`).toString('base64')}`
  return system.fetch('/oauth/v2/token', {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }),
  })
}

const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())

import { hiddenFields } from '@signet/platform/load/http-browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

const BYE = 'https://rp.localhost/bye'
const STATE = 's'.repeat(128)

async function signedIn(loginName = 'user1'): Promise<{ browser: TestBrowser; sid: string; hint: string }> {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser), loginName)
  const sid = env.fakes.codeRequests.at(-1)?.session?.sid ?? ''
  return { browser, sid, hint: await env.fakes.idToken({ sub: loginName, sid }) }
}

const endSession = (browser: TestBrowser, parameters: Record<string, string> = {}) =>
  browser.get(`/oidc/v1/end_session?${new URLSearchParams(parameters)}`)

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  return (await env.authorize(browser, { prompt: 'none' })).location.includes('code=')
}

async function expectConfirmation(browser: TestBrowser, answer: PageView): Promise<PageView> {
  expect(answer.location).toMatch(/^\/ui\/logout(\?|$)/)
  const page = await browser.follow(answer)
  expect(page.status).toBe(200)
  expect(page.body).toMatch(/<button id="logout-confirm" type="submit">/)
  return page
}

function expectRejected(page: PageView): void {
  expect(page).toMatchObject({ status: 400, location: '' })
  expect(page.text).toContain('Request rejected')
}

describe('with a hint of this browser', () => {
  it('ends the session at once and returns the exact state (RP-Initiated Logout section 3)', async () => {
    const { browser, sid, hint } = await signedIn()
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: BYE, state: STATE }
    const answer = await endSession(browser, parameters)
    expect(answer).toMatchObject({ status: 303, location: `${BYE}?state=${STATE}` })
    expect(env.fakes.endedSids).toContain(sid)
    expect(env.fakes.endedFrom.at(-1), 'for the audit log [F-47]').toBe('127.0.0.1')
    expect(browser.cookies.has('signet.session')).toBe(false)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('redirects without a state, and to a URI with a query', async () => {
    const one = await signedIn()
    expect(
      await endSession(one.browser, { id_token_hint: one.hint, post_logout_redirect_uri: BYE }),
    ).toMatchObject({ location: BYE })
    const two = await signedIn()
    const answer = await endSession(two.browser, {
      id_token_hint: two.hint,
      post_logout_redirect_uri: `${BYE}?x=1`,
      state: 'a b',
    })
    expect(answer.location).toBe(`${BYE}?x=1&state=a+b`)
  })

  it('shows the signed-out page without a URI', async () => {
    const { browser, hint } = await signedIn()
    const page = await browser.follow(await endSession(browser, { id_token_hint: hint }))
    expect(page.text).toContain('You are signed out')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('works by POST', async () => {
    const { browser, hint } = await signedIn()
    const form = { id_token_hint: hint, post_logout_redirect_uri: BYE }
    const posted = await browser.post('/oidc/v1/end_session', form, { withCookies: false })
    expect(posted).toMatchObject({ status: 303 })
    expect((await browser.get(posted.location)).location).toBe(BYE)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends only the session of the hint when there are several', async () => {
    const { browser, hint } = await signedIn('user1')
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), 'user2')
    await endSession(browser, { id_token_hint: hint })
    expect(await isSignedIn(browser)).toBe(true)
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user2')
  })

  it('invalidates the cookie and does not only delete it', async () => {
    const { browser, hint } = await signedIn()
    const thief = env.newBrowser()
    thief.cookies.set('signet.session', browser.cookies.get('signet.session') ?? '')
    await endSession(browser, { id_token_hint: hint })
    expect(await isSignedIn(thief)).toBe(false)
  })
})

/** Claims of a user with so many roles, as an application with `idTokenRoleAssertion` gets them. */
const manyRoles = (count: number) => ({
  'urn:service:iam:org:project:roles': Object.fromEntries(
    Array.from({ length: count }, (_, role) => [`reader-of-department-${role}`, { acme: 'acme.localhost' }]),
  ),
})

describe('with the ID token of a user with many roles', () => {
  it.each([200, 2_000, 8_000])('ends the session by POST: %i roles', async (roles) => {
    const { browser, sid } = await signedIn()
    const hint = await env.fakes.idToken({ sub: 'user1', sid, ...manyRoles(roles) })
    expect(hint.length).toBeGreaterThan(roles * 60)
    const form = { id_token_hint: hint, post_logout_redirect_uri: BYE, state: STATE }
    const posted = await browser.post('/oidc/v1/end_session', form, { withCookies: false })
    expect(posted.status).toBe(303)
    expect(posted.location.length).toBeLessThan(1_000)
    expect((await browser.get(posted.location)).location).toBe(`${BYE}?state=${STATE}`)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends it by GET as far as the HTTP server takes the address, with and without a confirmation', async () => {
    const { browser, sid } = await signedIn()
    const hint = await env.fakes.idToken({ sub: 'user1', sid, ...manyRoles(120) })
    expect(hint.length).toBeGreaterThan(8_000)
    const other = env.newBrowser()
    const asked = await expectConfirmation(
      other,
      await endSession(other, { id_token_hint: hint, post_logout_redirect_uri: BYE }),
    )
    expect((await browser.get(`/oidc/v1/end_session?id_token_hint=${hint}`)).location).toBe('/ui/logout/done')
    expect((await other.submit(asked)).location).toBe(BYE)
  })

  it('names the user of an authorization request by POST, also on the sign-in page', async () => {
    const { browser, sid } = await signedIn()
    const hint = await env.fakes.idToken({ sub: 'user1', sid, ...manyRoles(2_000) })
    const request = { ...WEB_REQUEST, id_token_hint: hint }
    const silent = await browser.post('/oauth/v2/authorize', { ...request, prompt: 'none' })
    expect((await browser.follow(silent)).location).toContain('code=')
    const shown = await browser.follow(
      await browser.post('/oauth/v2/authorize', { ...request, prompt: 'login' }),
    )
    expect((await env.signIn(browser, shown, 'user2')).get('error')).toBe('login_required')
  })

  it('refuses what another key signed, and a changed short value', async () => {
    const { browser, hint } = await signedIn()
    const forged = `${hint.slice(0, -8)}AAAAAAAA${'x'.repeat(20_000)}`
    const posted = await browser.post('/oidc/v1/end_session', { id_token_hint: forged })
    expectRejected(await browser.follow(posted))
    const { location } = await browser.post('/oidc/v1/end_session', { id_token_hint: hint })
    const short = new URL(location, env.issuer).searchParams.get('id_token_hint') ?? ''
    const [kind, body = '', mac] = short.split('.')
    const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), userId: 'user2' }
    const changed = [kind, Buffer.from(JSON.stringify(claims)).toString('base64url'), mac].join('.')
    expectRejected(await endSession(browser, { id_token_hint: changed }))
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('a request that cannot be granted', () => {
  const wrong: [string, (hint: string) => Record<string, string>][] = [
    ['an unregistered URI', (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}/` })],
    ['a hint of another service', () => ({ id_token_hint: 'a.b.c' })],
    ['an unknown client', () => ({ client_id: 'unknown' })],
  ]
  it.each(wrong)('signs out with one click and no redirect: %s', async (_what, parametersFor) => {
    const { browser, hint } = await signedIn()
    const page = await endSession(browser, parametersFor(hint))
    expectRejected(page)
    expect(page.text).toContain('You can sign out here')
    expect(page.text).not.toContain('postLogoutRedirectUris')
    const done = await browser.submit(page)
    expect(done.location).toBe('/ui/logout/done')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('signs out from a page that another site posted to, and sets no cookie there', async () => {
    const { browser } = await signedIn()
    const form = 'client_id=web&client_id=web'
    const page = await browser.post('/oidc/v1/end_session', form, { withCookies: false })
    expectRejected(page)
    expect(page.headers).not.toHaveProperty('set-cookie')
    expect(page.body).toContain('href="/ui/logout"')
    await browser.submit(await browser.get('/ui/logout'))
    expect(await isSignedIn(browser)).toBe(false)
  })
})

describe('the page of the confirmation', () => {
  const NOTE = 'id="logout-not-returned"'

  it('says that the person is not returned when the request names neither application nor ID token', async () => {
    const { browser } = await signedIn()
    const page = await browser.follow(await endSession(browser, { post_logout_redirect_uri: BYE }))
    expect(page.body).toContain(NOTE)
    expect(page.text).toContain('(client_id)')
    expect((await browser.submit(page)).location).toBe('/ui/logout/done')
  })

  it.each([{}, { client_id: 'web', post_logout_redirect_uri: BYE }])(
    'says nothing of it for %j',
    async (parameters) => {
      const { browser } = await signedIn()
      const page = await browser.follow(await endSession(browser, parameters))
      expect(page.body).toContain('logout-confirm')
      expect(page.body).not.toContain(NOTE)
    },
  )
})

describe('requests that need a confirmation [F-17]', () => {
  const askers: [string, (hint: string) => Promise<Record<string, string>>][] = [
    ['a request without parameters', async () => ({})],
    ['only a state', async () => ({ state: 'x' })],
    ['a client_id', async () => ({ client_id: 'web', post_logout_redirect_uri: BYE })],
    [
      'a hint of another session',
      async () => ({ id_token_hint: await env.fakes.idToken({ sub: 'user1', sid: 'other' }) }),
    ],
    ['a hint without sid', async () => ({ id_token_hint: await env.fakes.idToken({ sub: 'user1' }) })],
  ]
  it.each(askers)('%s asks first', async (_what, parametersFor) => {
    const { browser, hint } = await signedIn()
    await expectConfirmation(browser, await endSession(browser, await parametersFor(hint)))
    expect(await isSignedIn(browser)).toBe(true)
  })

  const forged: [string, (hint: string) => Promise<Record<string, string>>][] = [
    ['a hint that was changed', async (hint) => ({ id_token_hint: `${hint.slice(0, -4)}AAAA` })],
    [
      'a hint without a signature',
      async (hint) => ({
        id_token_hint: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${hint.split('.')[1]}.`,
      }),
    ],
    ['an unregistered URI', async (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}/x` })],
    [
      'a URI with an added query',
      async (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}?foo=bar` }),
    ],
    [
      'a redirect URI that is no post-logout URI',
      async (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://rp.localhost/callback' }),
    ],
    ['a client_id that is not the azp', async (hint) => ({ id_token_hint: hint, client_id: 'spa' })],
    ['an unknown client_id', async () => ({ client_id: 'unknown' })],
    [
      'a state that is too long',
      async (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: BYE, state: 's'.repeat(2001) }),
    ],
  ]
  it.each(forged)(
    '%s is rejected without a redirect, and the session stays',
    async (_what, parametersFor) => {
      const { browser, hint } = await signedIn()
      expectRejected(await endSession(browser, await parametersFor(hint)))
      expect(await isSignedIn(browser)).toBe(true)
    },
  )

  it('rejects the confirmation from a form of another site', async () => {
    const { browser } = await signedIn()
    const page = await expectConfirmation(browser, await endSession(browser, { client_id: 'web' }))
    const { request = '', csrf = '' } = hiddenFields(page)
    expectRejected(await browser.post('/ui/logout', { request, csrf: '' }))
    expectRejected(await browser.post('/ui/logout', { request, csrf }, { withCookies: false }))
    expectRejected(await browser.post('/ui/logout', { request: 'client_id=spa', csrf }))
    const other = env.newBrowser()
    const theirs = hiddenFields(await other.follow(await endSession(other, { client_id: 'web' })))
    expect(theirs).toMatchObject({ request })
    expectRejected(await browser.post('/ui/logout', { request, csrf: theirs.csrf ?? '' }))
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('rejects an invalid request before the confirmation page, too', async () => {
    const { browser } = await signedIn()
    expectRejected(await browser.get('/ui/logout?client_id=unknown'))
    expectRejected(
      await browser.get('/ui/logout?client_id=web&post_logout_redirect_uri=https://evil.localhost'),
    )
    expectRejected(await browser.get('/ui/logout?state=a&state=b'))
    expectRejected(await browser.get('/oidc/v1/end_session?state=%00'))
    expectRejected(await browser.post('/oidc/v1/end_session', 'state=a&state=b'))
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('after the confirmation', () => {
  it('ends all sessions of this browser', async () => {
    const { browser, sid } = await signedIn('user1')
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), 'user2')
    const other = env.fakes.codeRequests.at(-1)?.session?.sid
    const page = await expectConfirmation(browser, await endSession(browser))
    const done = await browser.follow(await browser.submit(page))
    expect(done.text).toContain('You are signed out')
    expect(env.fakes.endedSids).toEqual(expect.arrayContaining([sid, other]))
    expect(env.fakes.endedFrom.at(-1), 'for the audit log [F-47]').toBe('127.0.0.1')
    expect(await isSignedIn(browser)).toBe(false)
    const again = await browser.follow(await browser.submit(page))
    expect(again.text, 'a second submission has nothing left to end').toContain('You are signed out')
  })

  it('ends the session of the hint and redirects to the client', async () => {
    const { browser } = await signedIn()
    const hint = await env.fakes.idToken({ sub: 'user2', sid: 'lost-session' })
    const answer = await endSession(browser, {
      id_token_hint: hint,
      post_logout_redirect_uri: BYE,
      state: 'x',
    })
    const page = await expectConfirmation(browser, answer)
    expect(page.text).toContain('Portal &lt;web&gt; asked to sign you out')
    expect((await browser.submit(page)).location).toBe(`${BYE}?state=x`)
    expect(env.fakes.endedSids).toContain('lost-session')
  })

  it('ignores a URI without client_id and hint', async () => {
    const { browser } = await signedIn()
    const page = await expectConfirmation(
      browser,
      await endSession(browser, { post_logout_redirect_uri: BYE }),
    )
    expect((await browser.submit(page)).location).toBe('/ui/logout/done')
  })

  it('works without a session', async () => {
    const browser = env.newBrowser()
    const page = await expectConfirmation(browser, await endSession(browser))
    expect((await browser.follow(await browser.submit(page))).text).toContain('You are signed out')
  })
})

it('/ui/logout leads to the confirmation', async () => {
  const browser = env.newBrowser()
  expect((await browser.follow(await browser.get('/ui/logout'))).body).toContain('logout-confirm')
})

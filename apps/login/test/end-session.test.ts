import { hiddenFields } from '@signet/testing/http-browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

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
    expect(env.fakes.endedFrom.at(-1), 'F-47: for the audit log').toBe('127.0.0.1')
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
    expect(env.fakes.endedFrom.at(-1), 'F-47: for the audit log').toBe('127.0.0.1')
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

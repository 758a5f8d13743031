import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { hiddenFields, type PageView, type TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

const BYE = 'https://rp.localhost/bye'
const STATE = 's'.repeat(128)

async function signedIn(loginName = 'alice'): Promise<{ browser: TestBrowser; sid: string; hint: string }> {
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser), loginName)
  const sid = world.peers.codeRequests.at(-1)?.session?.sid ?? ''
  return { browser, sid, hint: await world.peers.idToken({ sub: loginName, sid }) }
}

const endSession = (browser: TestBrowser, parameters: Record<string, string> = {}) =>
  browser.get(`/oidc/v1/end_session?${new URLSearchParams(parameters)}`)

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  return (await world.authorize(browser, { prompt: 'none' })).location.includes('code=')
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
  it('RP-Initiated Logout section 3: ends the session at once and returns with exactly the state', async () => {
    const { browser, sid, hint } = await signedIn()
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: BYE, state: STATE }
    const answer = await endSession(browser, parameters)
    expect(answer).toMatchObject({ status: 303, location: `${BYE}?state=${STATE}` })
    expect(world.peers.endedSids).toContain(sid)
    expect(world.peers.endedFrom.at(-1), 'F-47: for the audit trail').toBe('127.0.0.1')
    expect(browser.cookies.has('signet.session')).toBe(false)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('returns without a state, and to a URI that has a query', async () => {
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

  it('shows that the person is signed out where no URI was given', async () => {
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

  it('ends only the session it names when there are several', async () => {
    const { browser, hint } = await signedIn('alice')
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), 'bob')
    await endSession(browser, { id_token_hint: hint })
    expect(await isSignedIn(browser)).toBe(true)
    expect(world.peers.codeRequests.at(-1)?.session?.userId).toBe('bob')
  })

  it('makes the cookie worthless, not only forgotten', async () => {
    const { browser, hint } = await signedIn()
    const thief = world.newBrowser()
    thief.cookies.set('signet.session', browser.cookies.get('signet.session') ?? '')
    await endSession(browser, { id_token_hint: hint })
    expect(await isSignedIn(thief)).toBe(false)
  })
})

describe('F-17: what cannot sign anybody out at once', () => {
  const askers: [string, (hint: string) => Promise<Record<string, string>>][] = [
    ['nothing at all', async () => ({})],
    ['only a state', async () => ({ state: 'x' })],
    ['a client_id', async () => ({ client_id: 'web', post_logout_redirect_uri: BYE })],
    [
      'a hint of another session',
      async () => ({ id_token_hint: await world.peers.idToken({ sub: 'alice', sid: 'other' }) }),
    ],
    ['a hint without sid', async () => ({ id_token_hint: await world.peers.idToken({ sub: 'alice' }) })],
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
    ['an unknown client_id', async () => ({ client_id: 'nobody' })],
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

  it('a form of another site cannot confirm', async () => {
    const { browser } = await signedIn()
    const page = await expectConfirmation(browser, await endSession(browser, { client_id: 'web' }))
    const { request = '', csrf = '' } = hiddenFields(page)
    expectRejected(await browser.post('/ui/logout', { request, csrf: '' }))
    expectRejected(await browser.post('/ui/logout', { request, csrf }, { withCookies: false }))
    expectRejected(await browser.post('/ui/logout', { request: 'client_id=spa', csrf }))
    const other = world.newBrowser()
    const theirs = hiddenFields(await other.follow(await endSession(other, { client_id: 'web' })))
    expect(theirs).toMatchObject({ request })
    expectRejected(await browser.post('/ui/logout', { request, csrf: theirs.csrf ?? '' }))
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('what is wrong with a request is refused before the question, too', async () => {
    const { browser } = await signedIn()
    expectRejected(await browser.get('/ui/logout?client_id=nobody'))
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
  it('all sessions of this browser are over', async () => {
    const { browser, sid } = await signedIn('alice')
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), 'bob')
    const other = world.peers.codeRequests.at(-1)?.session?.sid
    const page = await expectConfirmation(browser, await endSession(browser))
    const done = await browser.follow(await browser.submit(page))
    expect(done.text).toContain('You are signed out')
    expect(world.peers.endedSids).toEqual(expect.arrayContaining([sid, other]))
    expect(world.peers.endedFrom.at(-1), 'F-47: for the audit trail').toBe('127.0.0.1')
    expect(await isSignedIn(browser)).toBe(false)
    const again = await browser.follow(await browser.submit(page))
    expect(again.text, 'a second submission has nothing left to end').toContain('You are signed out')
  })

  it('the session that the hint names is over too, and the client gets the browser back', async () => {
    const { browser } = await signedIn()
    const hint = await world.peers.idToken({ sub: 'bob', sid: 'lost-session' })
    const answer = await endSession(browser, {
      id_token_hint: hint,
      post_logout_redirect_uri: BYE,
      state: 'x',
    })
    const page = await expectConfirmation(browser, answer)
    expect(page.text).toContain('Portal &lt;web&gt; asked to sign you out')
    expect((await browser.submit(page)).location).toBe(`${BYE}?state=x`)
    expect(world.peers.endedSids).toContain('lost-session')
  })

  it('a URI that came without client_id and hint is ignored', async () => {
    const { browser } = await signedIn()
    const page = await expectConfirmation(
      browser,
      await endSession(browser, { post_logout_redirect_uri: BYE }),
    )
    expect((await browser.submit(page)).location).toBe('/ui/logout/done')
  })

  it('nobody has to be signed in', async () => {
    const browser = world.newBrowser()
    const page = await expectConfirmation(browser, await endSession(browser))
    expect((await browser.follow(await browser.submit(page))).text).toContain('You are signed out')
  })
})

it('/ui/logout leads to the confirmation', async () => {
  const browser = world.newBrowser()
  expect((await browser.follow(await browser.get('/ui/logout'))).body).toContain('logout-confirm')
})

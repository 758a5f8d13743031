import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

/** A browser in which these users are signed in, the last one last. */
async function browserOf(...loginNames: string[]): Promise<TestBrowser> {
  const browser = env.newBrowser()
  for (const loginName of loginNames) {
    env.clock.advance(1_000)
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}

const silently = (browser: TestBrowser, more = {}) => env.authorize(browser, { prompt: 'none', ...more })
const errorOf = ({ location }: PageView) => new URL(location).searchParams.get('error')
const lastUser = () => env.fakes.codeRequests.at(-1)?.session?.userId
const offered = ({ body }: PageView) =>
  [...body.matchAll(/<span class="login-name"><bdi>([^<]*)</g)].map(([, loginName]) => loginName)

async function choose(browser: TestBrowser, page: PageView, loginName: string): Promise<PageView> {
  const sid = new RegExp(
    `value="([^"]*)"[^>]*><span class="name"><bdi>[^<]*</bdi></span> <span class="login-name"><bdi>${loginName}`,
  ).exec(page.body)?.[1]
  if (sid === undefined) throw new Error(`${loginName} is not offered: ${page.text}`)
  return browser.follow(await browser.submit(page, { sid }))
}

describe('the account chooser', () => {
  it('appears for more than one session without a prompt, and answers for the chosen account', async () => {
    const browser = await browserOf('user1', 'user2')
    const page = await env.authorize(browser, { state: 'chosen' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Choose an account to continue to Portal &lt;web&gt;')
    expect(offered(page)).toEqual(['user2@acme.localhost', 'user1@acme.localhost'])
    const answer = await choose(browser, page, 'user1@acme.localhost')
    expect(new URL(answer.location).searchParams.get('state')).toBe('chosen')
    expect(lastUser()).toBe('user1')
    expect((await env.authorize(browser)).text).toContain('Choose an account')
  })

  it('appears for one session with prompt=select_account; without a session the sign-in page appears', async () => {
    const browser = await browserOf('user1')
    const page = await env.authorize(browser, { prompt: 'select_account' })
    expect(offered(page)).toEqual(['user1@acme.localhost'])
    expect((await choose(browser, page, 'user1@acme.localhost')).location).toContain('code=')
    const stranger = await env.authorize(env.newBrowser(), { prompt: 'select_account' })
    expect(stranger.body).toContain('id="login-name"')
  })

  it('links to the sign-in page of another account and back', async () => {
    const browser = await browserOf('user1')
    const page = await env.authorize(browser, { prompt: 'select_account' })
    const other = /<a id="account-other" href="([^"]+)">/.exec(page.body)?.[1] ?? ''
    const login = await browser.get(other)
    expect(login.body).toContain('id="login-name"')
    const back = /<a id="login-accounts" href="([^"]+)">/.exec(login.body)?.[1] ?? ''
    expect(offered(await browser.get(back))).toEqual(['user1@acme.localhost'])
    await env.signIn(browser, login, 'user2')
    expect(lastUser()).toBe('user2')
  })

  it('uses the session that login_hint names, and asks about a hint that names another account', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser), 'user1')
    await env.authorize(browser, { login_hint: 'USER1' })
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user1')
    const page = await env.authorize(browser, { login_hint: 'user2' })
    expect(page.body).toMatch(/id="login-name"[^>]* value="user2"/)
    expect(errorOf(await silently(browser, { login_hint: 'user2' }))).toBe('interaction_required')
    // The way on as the signed-in person.
    const [, path = ''] = /id="login-accounts" href="([^"]+)"/.exec(page.body) ?? []
    const accounts = await browser.get(path.replaceAll('&amp;', '&'))
    const [, sid = ''] = /name="sid" value="([^"]+)"/.exec(accounts.body) ?? []
    const answer = await browser.follow(await browser.submit(accounts, { sid }))
    expect(answer.location).toContain('code=')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user1')
    await env.signIn(browser, await env.authorize(browser, { login_hint: 'user2' }), 'user2')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user2')
    await env.authorize(browser, { login_hint: 'user1' })
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user1')
  })

  it('lists the account of login_hint first and focuses it', async () => {
    const browser = await browserOf('user1', 'user2')
    for (const hint of ['user1', ' USER1@acme.localhost']) {
      const page = await env.authorize(browser, { prompt: 'select_account', login_hint: hint })
      expect(offered(page)).toEqual(['user1@acme.localhost', 'user2@acme.localhost'])
      expect(page.body.match(/ autofocus/g)).toHaveLength(1)
      expect(page.body).toMatch(/id="account-1"[^>]* autofocus/)
    }
    const unknown = await env.authorize(browser, { prompt: 'select_account', login_hint: 'unknown' })
    expect(offered(unknown)).toHaveLength(2)
    expect(unknown.body).not.toContain('autofocus')
  })

  it('appears again for a session that has ended and for a session of another browser', async () => {
    const browser = await browserOf('user1', 'user2')
    await browserOf('user3')
    const foreign = env.fakes.codeRequests.at(-1)?.session?.sid ?? ''
    const page = await env.authorize(browser)
    for (const sid of [foreign, 'x', '']) {
      expect((await browser.follow(await browser.submit(page, { sid }))).text).toContain('Choose an account')
    }
  })

  it('escapes display names', async () => {
    const browser = await browserOf('user1', 'globex1')
    const page = await env.authorize(browser)
    expect(page.body).toContain('Globex1 &quot;&lt;b&gt;&quot; Example')
  })

  it('rejects a form of another page or browser [F-15]', async () => {
    const browser = await browserOf('user1', 'user2')
    const page = await env.authorize(browser)
    const forged = await browser.submit(page, { csrf: 'A'.repeat(43), sid: 'x' })
    expect(forged).toMatchObject({ status: 400, location: '' })
    expect(forged.text).toContain('Request rejected')
  })

  it('continues the request when there is nothing to choose', async () => {
    const browser = env.newBrowser()
    const login = await env.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1]
    const page = await browser.follow(await browser.get(`/ui/accounts?request=${request}`))
    expect(page.body).toContain('id="login-name"')
  })
})

describe('a choice does not replace an authentication', () => {
  it('max_age asks for the password of the chosen account and fills in its login name [F-36]', async () => {
    const browser = await browserOf('user1', 'user2')
    env.clock.advance(60_000)
    const page = await env.authorize(browser, { max_age: '30' })
    const login = await choose(browser, page, 'user1@acme.localhost')
    expect(login.body).toContain('value="user1@acme.localhost"')
    await env.signIn(browser, login, 'user1')
    expect(lastUser()).toBe('user1')
  })

  it('prompt=login asks for a password with any session [F-36]', async () => {
    const browser = await browserOf('user1', 'user2')
    const page = await env.authorize(browser, { prompt: 'login select_account' })
    expect(page.body).toContain('id="password"')
  })
})

describe('prompt=none with several sessions', () => {
  it('returns interaction_required unless a hint selects a session [F-37]', async () => {
    const browser = await browserOf('user1', 'user2')
    expect(errorOf(await silently(browser))).toBe('interaction_required')
    expect(errorOf(await silently(browser, { login_hint: 'unknown' }))).toBe('interaction_required')
    await silently(browser, { login_hint: 'user1' })
    expect(lastUser()).toBe('user1')
    await silently(browser, { id_token_hint: await env.fakes.idToken({ sub: 'user2' }) })
    expect(lastUser()).toBe('user2')
  })
})

describe('the organization of a request', () => {
  const ofAcme = 'openid urn:service:iam:org:id:acme'

  it.each([
    ofAcme,
    'openid urn:zitadel:iam:org:id:acme',
    'openid urn:service:iam:org:domain:primary:ACME.localhost',
  ])('%s: ignores sessions of other organizations', async (scope) => {
    const browser = await browserOf('user1', 'globex1')
    await silently(browser, { scope })
    expect(lastUser()).toBe('user1')
    expect(env.fakes.codeRequests.at(-1)?.scopes).toEqual(scope.split(' '))
    expect(errorOf(await silently(await browserOf('globex1'), { scope }))).toBe('login_required')
  })

  it('rejects users of other organizations and does not list their sessions', async () => {
    const browser = await browserOf('user1', 'globex1')
    const page = await env.authorize(browser, { scope: ofAcme, prompt: 'select_account' })
    expect(offered(page)).toEqual(['user1@acme.localhost'])
    const login = await env.authorize(browser, { scope: ofAcme, prompt: 'login' })
    const refused = await browser.submit(login, { login_name: 'globex1', password: PASSWORD })
    expect(refused.text).toContain('not right')
    await env.signIn(browser, refused, 'user1')
    expect(lastUser()).toBe('user1')
  })

  it.each([
    'urn:service:iam:org:id:nowhere',
    'urn:service:iam:org:id:shut',
    'urn:service:iam:org:domain:primary:nowhere.localhost',
    'urn:service:iam:org:id:acme urn:service:iam:org:domain:primary:globex.localhost',
  ])('%s returns invalid_scope', async (scope) => {
    const answer = await env.authorize(env.newBrowser(), { scope: `openid ${scope}` })
    expect(errorOf(answer)).toBe('invalid_scope')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

/** A browser in which these people are signed in, the last one last. */
async function browserOf(...loginNames: string[]): Promise<TestBrowser> {
  const browser = world.newBrowser()
  for (const loginName of loginNames) {
    world.clock.advance(1_000)
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}

const silently = (browser: TestBrowser, more = {}) => world.authorize(browser, { prompt: 'none', ...more })
const errorOf = ({ location }: PageView) => new URL(location).searchParams.get('error')
const lastUser = () => world.peers.codeRequests.at(-1)?.session?.userId
const offered = ({ body }: PageView) =>
  [...body.matchAll(/<span class="login-name">([^<]*)</g)].map(([, loginName]) => loginName)

async function choose(browser: TestBrowser, page: PageView, loginName: string): Promise<PageView> {
  const sid = new RegExp(
    `value="([^"]*)"[^>]*><span class="name">[^<]*</span> <span class="login-name">${loginName}`,
  ).exec(page.body)?.[1]
  if (sid === undefined) throw new Error(`${loginName} is not offered: ${page.text}`)
  return browser.follow(await browser.submit(page, { sid }))
}

describe('the account chooser', () => {
  it('is shown without a prompt when there is more than one session, and answers for the chosen one', async () => {
    const browser = await browserOf('alice', 'bob')
    const page = await world.authorize(browser, { state: 'chosen' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Choose an account to continue to Portal &lt;web&gt;')
    expect(offered(page)).toEqual(['bob@acme.localhost', 'alice@acme.localhost'])
    const answer = await choose(browser, page, 'alice@acme.localhost')
    expect(new URL(answer.location).searchParams.get('state')).toBe('chosen')
    expect(lastUser()).toBe('alice')
    expect((await world.authorize(browser)).text).toContain('Choose an account')
  })

  it('prompt=select_account shows it for one session too, and for none the sign-in page', async () => {
    const browser = await browserOf('alice')
    const page = await world.authorize(browser, { prompt: 'select_account' })
    expect(offered(page)).toEqual(['alice@acme.localhost'])
    expect((await choose(browser, page, 'alice@acme.localhost')).location).toContain('code=')
    const stranger = await world.authorize(world.newBrowser(), { prompt: 'select_account' })
    expect(stranger.body).toContain('id="login-name"')
  })

  it('leads to the sign-in page of another account and back', async () => {
    const browser = await browserOf('alice')
    const page = await world.authorize(browser, { prompt: 'select_account' })
    const other = /<a id="account-other" href="([^"]+)">/.exec(page.body)?.[1] ?? ''
    const login = await browser.get(other)
    expect(login.body).toContain('id="login-name"')
    const back = /<a id="login-accounts" href="([^"]+)">/.exec(login.body)?.[1] ?? ''
    expect(offered(await browser.get(back))).toEqual(['alice@acme.localhost'])
    await world.signIn(browser, login, 'bob')
    expect(lastUser()).toBe('bob')
  })

  it('login_hint preselects: its account comes first and has the cursor', async () => {
    const browser = await browserOf('alice', 'bob')
    for (const hint of ['alice', ' ALICE@acme.localhost']) {
      const page = await world.authorize(browser, { prompt: 'select_account', login_hint: hint })
      expect(offered(page)).toEqual(['alice@acme.localhost', 'bob@acme.localhost'])
      expect(page.body.match(/ autofocus/g)).toHaveLength(1)
      expect(page.body).toMatch(/id="account-1"[^>]* autofocus/)
    }
    const unknown = await world.authorize(browser, { prompt: 'select_account', login_hint: 'nobody' })
    expect(offered(unknown)).toHaveLength(2)
    expect(unknown.body).not.toContain('autofocus')
  })

  it('asks again for a session that ended meanwhile, and for one of another browser', async () => {
    const browser = await browserOf('alice', 'bob')
    await browserOf('carol')
    const foreign = world.peers.codeRequests.at(-1)?.session?.sid ?? ''
    const page = await world.authorize(browser)
    for (const sid of [foreign, 'x', '']) {
      expect((await browser.follow(await browser.submit(page, { sid }))).text).toContain('Choose an account')
    }
  })

  it('escapes what people are called', async () => {
    const browser = await browserOf('alice', 'dora')
    const page = await world.authorize(browser)
    expect(page.body).toContain('Dora &quot;&lt;b&gt;&quot; Example')
  })

  it('F-15: takes no form of another page or browser', async () => {
    const browser = await browserOf('alice', 'bob')
    const page = await world.authorize(browser)
    const forged = await browser.submit(page, { csrf: 'A'.repeat(43), sid: 'x' })
    expect(forged).toMatchObject({ status: 400, location: '' })
    expect(forged.text).toContain('Request rejected')
  })

  it('sends whoever has nothing to choose on', async () => {
    const browser = world.newBrowser()
    const login = await world.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1]
    const page = await browser.follow(await browser.get(`/ui/accounts?request=${request}`))
    expect(page.body).toContain('id="login-name"')
  })
})

describe('a choice does not replace an authentication', () => {
  it('F-36: max_age asks for the password of the chosen account, whose name is filled in', async () => {
    const browser = await browserOf('alice', 'bob')
    world.clock.advance(60_000)
    const page = await world.authorize(browser, { max_age: '30' })
    const login = await choose(browser, page, 'alice@acme.localhost')
    expect(login.body).toContain('value="alice@acme.localhost"')
    await world.signIn(browser, login, 'alice')
    expect(lastUser()).toBe('alice')
  })

  it('F-36: prompt=login asks for a password whoever is signed in', async () => {
    const browser = await browserOf('alice', 'bob')
    const page = await world.authorize(browser, { prompt: 'login select_account' })
    expect(page.body).toContain('id="password"')
  })
})

describe('F-37: prompt=none with several sessions', () => {
  it('answers interaction_required unless a hint says who is meant', async () => {
    const browser = await browserOf('alice', 'bob')
    expect(errorOf(await silently(browser))).toBe('interaction_required')
    expect(errorOf(await silently(browser, { login_hint: 'nobody' }))).toBe('interaction_required')
    await silently(browser, { login_hint: 'alice' })
    expect(lastUser()).toBe('alice')
    await silently(browser, { id_token_hint: await world.peers.idToken({ sub: 'bob' }) })
    expect(lastUser()).toBe('bob')
  })
})

describe('the organization of a request', () => {
  const ofAcme = 'openid urn:service:iam:org:id:acme'

  it.each([
    ofAcme,
    'openid urn:zitadel:iam:org:id:acme',
    'openid urn:service:iam:org:domain:primary:ACME.localhost',
  ])('%s: sessions of other organizations do not count', async (scope) => {
    const browser = await browserOf('alice', 'dora')
    await silently(browser, { scope })
    expect(lastUser()).toBe('alice')
    expect(world.peers.codeRequests.at(-1)?.scopes).toEqual(scope.split(' '))
    expect(errorOf(await silently(await browserOf('dora'), { scope }))).toBe('login_required')
  })

  it('nobody of another organization can sign in, and the chooser does not show them', async () => {
    const browser = await browserOf('alice', 'dora')
    const page = await world.authorize(browser, { scope: ofAcme, prompt: 'select_account' })
    expect(offered(page)).toEqual(['alice@acme.localhost'])
    const login = await world.authorize(browser, { scope: ofAcme, prompt: 'login' })
    const refused = await browser.submit(login, { login_name: 'dora', password: PASSWORD })
    expect(refused.text).toContain('not right')
    await world.signIn(browser, refused, 'alice')
    expect(lastUser()).toBe('alice')
  })

  it.each([
    'urn:service:iam:org:id:nowhere',
    'urn:service:iam:org:id:shut',
    'urn:service:iam:org:domain:primary:nowhere.localhost',
    'urn:service:iam:org:id:acme urn:service:iam:org:domain:primary:globex.localhost',
  ])('%s is invalid_scope', async (scope) => {
    const answer = await world.authorize(world.newBrowser(), { scope: `openid ${scope}` })
    expect(errorOf(answer)).toBe('invalid_scope')
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { callback, hiddenFields, openIdProvider, stateOf } from './upstream-pages.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [openIdProvider('corp')])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  env.upstream.reset()
  env.upstream.answers.set('alice', asserted('alice'))
  // An identity with an account: a sign-in would succeed.
  env.upstream.links.set('alice', 'user1')
})

const TOKEN = 'x'.repeat(43)
const link = (token = TOKEN) => `${PATHS.upstreamTest}?token=${token}`

async function start(browser: TestBrowser, token = TOKEN): Promise<PageView> {
  return browser.post(PATHS.upstreamTest, hiddenFields((await browser.get(link(token))).body))
}

it('shows what came of a test, and signs no person in', async () => {
  env.upstream.tests.set(TOKEN, '')
  const browser = env.newBrowser()
  const away = await start(browser)
  expect([away.status, away.location]).toEqual([303, expect.stringMatching(/^https:\/\/idp\.localhost\//)])
  expect(env.upstream.begun).toMatchObject([{ test: true, organizationId: 'acme' }])
  const page = await browser.get(callback(stateOf(away)))
  expect(page.status).toBe(200)
  expect(page.body).toContain('&quot;subject&quot;: &quot;alice&quot;')
  expect(env.upstream.finished).toEqual([{ outcome: 'creates', subject: 'alice' }])
  // No cookie of a session, and none of a pending request.
  expect(String(page.headers['set-cookie'] ?? '')).not.toContain('session')
  expect((await browser.get(PATHS.account)).status).toBe(303)
})

it('uses a link once, also when it is opened twice at the same time', async () => {
  env.upstream.tests.set(TOKEN, '')
  const browser = env.newBrowser()
  const fields = hiddenFields((await browser.get(link())).body)
  const pages = await Promise.all([1, 2].map(() => browser.post(PATHS.upstreamTest, fields)))
  expect(pages.map(({ status }) => status).sort()).toEqual([303, 400])
  expect((await browser.get(link())).status).toBe(400)
})

it('takes the answer of a test once, and in its own browser alone', async () => {
  env.upstream.tests.set(TOKEN, '')
  const browser = env.newBrowser()
  const back = callback(stateOf(await start(browser)))
  const other = env.newBrowser()
  await env.authorize(other)
  // Federation knows no such sign-in of the other browser: the test ends, with that as its result.
  expect((await other.get(back)).body).toContain('state_unknown')
  expect((await browser.get(back)).status).toBe(400)
  expect(env.upstream.finished).toHaveLength(1)
})

it('takes no answer of a test for a sign-in, and none of a sign-in for a test', async () => {
  env.upstream.tests.set(TOKEN, '')
  const browser = env.newBrowser()
  const away = await start(browser)
  const pending = await env.authorize(browser)
  const request = hiddenFields(pending.body).request
  // The state of the test, shortened to the form of a state of the pending request, and the other way round.
  const asSignIn = await browser.get(callback(`${request}${stateOf(away).slice(0, 22)}`))
  expect(asSignIn.location).toContain(PATHS.login)
  const asTest = await browser.get(callback(`${request}${stateOf(away).slice(0, 29)}`))
  expect(asTest.status).toBe(400)
  expect(env.fakes.codeRequests).toEqual([])
})

it('begins the test of a person in a browser with a session of that person alone', async () => {
  env.upstream.tests.set(TOKEN, 'user1')
  const browser = env.newBrowser()
  const refused = await browser.get(link())
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('Sign in with the account that made this link')
  await env.signIn(browser, await env.authorize(browser))
  const away = await start(browser)
  expect(away.status).toBe(303)

  env.upstream.tests.set(TOKEN, 'another')
  expect((await browser.get(link())).status).toBe(403)
})

it('refuses a form of another page', async () => {
  env.upstream.tests.set(TOKEN, '')
  const browser = env.newBrowser()
  await browser.get(link())
  const forged = await browser.post(PATHS.upstreamTest, { request: TOKEN, csrf: 'forged' })
  expect(forged.status).toBe(400)
  expect(env.upstream.tests.has(TOKEN)).toBe(true)
})

it('shows the rule of a provider that refuses before the browser leaves', async () => {
  env.upstream.tests.set(TOKEN, '')
  env.upstream.beginRefusal = { rule: 'provider_not_usable' }
  const page = await start(env.newBrowser())
  expect([page.status, page.body]).toEqual([200, expect.stringContaining('provider_not_usable')])
})

describe('of a directory', () => {
  const PASSWORD = 'the password of the directory'
  beforeEach(() => {
    env.upstream.testedType = 'ldap'
    env.upstream.passwords.set(`alice ${PASSWORD}`, asserted('alice'))
    env.upstream.tests.set(TOKEN, '')
  })

  async function send(
    typed: Readonly<Record<string, string>>,
    browser = env.newBrowser(),
  ): Promise<PageView> {
    return browser.submit(await browser.get(link()), typed)
  }
  const right = { login_name: 'alice', password: PASSWORD }

  it('asks for name and password, shows what came of it, and signs no person in', async () => {
    const browser = env.newBrowser()
    const page = await send(right, browser)
    expect([page.status, page.body]).toEqual([
      200,
      expect.stringContaining('&quot;subject&quot;: &quot;alice&quot;'),
    ])
    expect(env.upstream.verified).toMatchObject([
      { providerId: 'corp', organizationId: 'acme', ...{ name: 'alice', password: PASSWORD } },
    ])
    expect(env.upstream.found).toMatchObject([{ name: 'alice', test: true }])
    expect(env.upstream.finished).toEqual([{ outcome: 'creates', subject: 'alice' }])
    expect(String(page.headers['set-cookie'] ?? '')).not.toContain('session')
    expect((await browser.get(PATHS.account)).status).toBe(303)
    expect((await browser.get(link())).status).toBe(400)
  })

  it('shows the rule of a password that is refused', async () => {
    const page = await send({ ...right, password: 'wrong' })
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('password_wrong')])
    expect(env.upstream.finished).toMatchObject([{ outcome: 'provider_refused' }])
  })

  it('asks again for what is missing, and takes the link again', async () => {
    for (const typed of [
      { ...right, login_name: ' ' },
      { ...right, password: '' },
    ]) {
      const page = await send(typed)
      expect([page.status, page.body]).toEqual([400, expect.stringContaining('id="login-problem"')])
    }
    expect(env.upstream.found).toEqual([])
    expect((await env.newBrowser().get(`${PATHS.upstreamTest}?request=${TOKEN}`)).status).toBe(200)
    expect((await send(right)).body).toContain('id="test-outcome"')
  })

  it('counts wrong passwords with those of sign-ins, and keeps a link that the limit refuses', async () => {
    for (let count = 0; count < 5; count += 1) {
      env.upstream.tests.set(TOKEN, '')
      expect((await send({ ...right, password: 'wrong' })).status).toBe(200)
    }
    env.upstream.tests.set(TOKEN, '')
    const refused = await send(right)
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    expect(env.upstream.verified).toHaveLength(5)
    env.clock.advance(15 * 60_000 + 1_000)
    expect((await send(right)).body).toContain('&quot;subject&quot;: &quot;alice&quot;')
  })

  it('sends one password for a link that two browsers use at once', async () => {
    const browsers = [env.newBrowser(), env.newBrowser()]
    const pages = await Promise.all(browsers.map((browser) => browser.get(link())))
    const answers = await Promise.all(
      browsers.map((browser, at) => browser.submit(pages[at] as PageView, right)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(env.upstream.verified).toHaveLength(1)
    expect(env.upstream.finished).toHaveLength(1)
  })

  it('shows why a server is not asked for the password', async () => {
    env.upstream.findRefusal = { rule: 'own_bind_refused', received: '49' }
    expect((await send(right)).body).toContain('own_bind_refused')
    expect(env.upstream.verified).toEqual([])
  })

  it('asks for no password in a browser without a session of the person who made the link', async () => {
    const browser = env.newBrowser()
    const page = await browser.get(link())
    env.upstream.tests.set(TOKEN, 'user1')
    expect((await browser.submit(page, right)).status).toBe(403)
    expect((await browser.get(link())).status).toBe(403)
    expect(env.upstream.found).toEqual([])
  })
})

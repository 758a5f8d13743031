import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
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

// The pages and the endpoint of devices (RFC 8628), with a fake of the token service.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  // The limits of storage recover with time.
  env.clock.advance(30 * 60_000)
  env.fakes.away.clear()
})

const WRONG = 'BCDF-GHJK'

async function enter(code: string, browser = env.newBrowser()): Promise<PageView> {
  return browser.follow(await browser.submit(await browser.get('/ui/device'), { user_code: code }))
}

const stateOf = (deviceCode: string) =>
  env.fakes.devices.get(createHash('sha256').update(deviceCode).digest('base64url'))?.state

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = env.newBrowser()
  for (const loginName of loginNames)
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), loginName)
  return browser
}

/** Chooses the only account. */
const choose = async (browser: TestBrowser, page: PageView) =>
  browser.follow(await browser.submit(page, { sid: /name="sid" value="([^"]+)"/.exec(page.body)?.[1] ?? '' }))

describe('wrong codes (RFC 8628 section 5.1)', () => {
  it('of one browser delay further ones, while the clock runs, and a right one forgives none', async () => {
    const { user_code: code } = await env.beginDevice()
    const browser = env.newBrowser()
    for (let wrong = 0; wrong < 5; wrong += 1) {
      expect((await enter(WRONG, browser)).status).toBe(400)
      env.clock.advance(100)
    }
    for (const seconds of [1, 2, 4, 8]) {
      const refused = await enter(code, browser)
      expect(refused.status).toBe(429)
      expect(refused.text).toContain('Too many wrong codes')
      env.clock.advance(seconds * 1000 - 200)
      expect((await enter(code, browser)).status).toBe(429)
      env.clock.advance(200)
      // The right one does not give the free ones back.
      expect((await enter(code, browser)).text).toContain('Sign in')
      expect((await enter(WRONG, browser)).status).toBe(400)
    }
    expect((await enter(code)).text).toContain('Sign in')
  })

  it('of one network are refused from the hundredth browser on, for a quarter of an hour', async () => {
    const { user_code: code } = await env.beginDevice()
    const views = await Promise.all(Array.from({ length: 120 }, () => enter(WRONG)))
    expect(views.filter(({ status }) => status === 400)).toHaveLength(100)
    expect(views.filter(({ status }) => status === 429)).toHaveLength(20)
    env.clock.advance(9 * 60_000)
    expect((await enter(code)).status).toBe(429)
    env.clock.advance(6 * 60_000)
    const { user_code: later } = await env.beginDevice()
    expect((await enter(later)).text).toContain('Sign in')
  })
})

describe('the storage', () => {
  it('of public clients is bounded for each network, and frees itself', async () => {
    const long = 'x'.repeat(250)
    let begun = 0
    while ((await env.beginDevice({ login_hint: long, nonce: long + long })).status === 200) begun += 1
    expect(begun).toBeGreaterThan(500)
    expect(begun).toBeLessThan(2_000)
    env.clock.advance(60_000)
    expect((await env.beginDevice({ nonce: long })).status).toBe(200)
  })

  it('holds neither of the codes', async () => {
    const begun = await env.beginDevice()
    const keys = await env.redis.keys('signet:login:*')
    const values = await Promise.all(keys.map((key) => env.redis.get(key)))
    const stored = JSON.stringify([keys, values])
    expect(stored).not.toContain(begun.device_code)
    expect(stored).not.toContain(begun.user_code.replace('-', ''))
  })

  it('keeps nothing when the token service is away, and the person reads so', async () => {
    env.fakes.away.add('token')
    expect((await env.beginDevice()).status).toBe(503)
    env.fakes.away.clear()
    const { device_code: deviceCode, user_code: code } = await env.beginDevice()
    const browser = await signedIn('user1')
    const page = await choose(browser, await enter(code, browser))
    env.fakes.away.add('token')
    const away = await browser.follow(await browser.submit(page, { decision: 'allow' }))
    expect(away.status).toBe(503)
    env.fakes.away.clear()
    const [, request = ''] = /name="request" value="([^"]*)"/.exec(page.body) ?? []
    const end = await browser.get(`/oauth/v2/authorize?continue=${request}`)
    expect(end.location).toBe(`${env.issuer}/ui/device/done?iss=${encodeURIComponent(env.issuer)}`)
    expect(stateOf(deviceCode)).toBe('approved')
  })
})

describe('a request of a device', () => {
  it('is answered at another replica than the one that took it', async () => {
    const { device_code: deviceCode, user_code: code } = await env.beginDevice({}, await env.startReplica())
    const browser = await signedIn('user1')
    const page = await choose(browser, await enter(code, browser))
    await browser.submit(page, { decision: 'deny' })
    expect(stateOf(deviceCode)).toBe('denied')
  })

  it('asks for the account also of a browser with one session, and for consent after each sign-in', async () => {
    const { user_code: code } = await env.beginDevice({ scope: 'openid email' })
    const browser = await signedIn('user1')
    const accounts = await enter(code, browser)
    expect(accounts.text).toContain('Choose an account')
    const consent = await choose(browser, accounts)
    for (const text of ['Portal TV on a device asks for:', 'Your e-mail address', '127.0.0.1', '(UTC)']) {
      expect(consent.text).toContain(text)
    }
    // A link of an attacker ends at the field, with any parameters.
    expect((await browser.get(`/ui/device?user_code=${code}&decision=allow`)).body).toContain(
      `value="${code}"`,
    )
  })

  it('is not approved by a form of another browser, purpose or site', async () => {
    const { device_code: deviceCode, user_code: code } = await env.beginDevice()
    const browser = await signedIn('user1')
    const form = await browser.get('/ui/device')
    expect((await env.newBrowser().submit(form, { user_code: code })).status).toBe(400)
    expect((await browser.submit(form, { user_code: code, csrf: 'forged' })).status).toBe(400)
    const consent = await choose(browser, await enter(code, browser))
    expect((await env.newBrowser().submit(consent, { decision: 'allow' })).status).toBe(400)
    browser.sentFrom = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await browser.submit(consent, { decision: 'allow' })).status).toBe(403)
    expect(stateOf(deviceCode)).toBe('waits')
  })

  it('ends with the grant type of its application, and with the application', async () => {
    const { user_code: code } = await env.beginDevice()
    const set = (state: string) =>
      asOwner(env.adminUrl, [`UPDATE directory.application SET state = '${state}' WHERE client_id = 'tv'`])
    const browser = await signedIn('user1')
    const page = await choose(browser, await enter(code, browser))
    await set('inactive')
    await expect
      .poll(async () => (await browser.follow(await browser.submit(page, { decision: 'allow' }))).status)
      .toBe(400)
    await set('active')
    await expect.poll(async () => (await env.beginDevice()).status).toBe(200)
  })

  it('cannot continue as an authorization request of the application', async () => {
    const browser = await signedIn('user1')
    const page = await env.authorize(browser, {
      client_id: 'tv',
      redirect_uri: `${env.issuer}/ui/device/done`,
    })
    expect(page.status).toBe(400)
    const { user_code: code } = await env.beginDevice()
    const login = await enter(code, env.newBrowser())
    expect(login.body).toContain('id="login-name"')
    expect(PASSWORD).not.toBe('')
  })
})

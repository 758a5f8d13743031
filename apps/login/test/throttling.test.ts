import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PageView, type TestBrowser, withoutRandomValues } from './browser.ts'
import { attemptKeyOf } from './fake-directory.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(async () => {
  await env.redis.flushdb()
  env.fakes.maxPasswordAttempts = 5
  env.fakes.whileVerifying = async () => undefined
})
afterAll(() => env.stop())

async function tryPassword(
  loginName: string,
  password: string,
  browser = env.newBrowser(),
): Promise<PageView> {
  return browser.submit(await env.authorize(browser), { login_name: loginName, password })
}

async function fail(times: number, loginName = 'user1', browser?: TestBrowser): Promise<void> {
  for (let failure = 0; failure < times; failure += 1) {
    expect((await tryPassword(loginName, 'wrong', browser)).status).toBe(400)
  }
}

const succeeds = async (loginName = 'user1', browser?: TestBrowser) =>
  (await tryPassword(loginName, PASSWORD, browser)).status === 303
const lastTry = () => env.fakes.passwordTries.at(-1)

/** Concurrent attempts, each from its own browser. */
async function tryAtOnce(times: number, loginName: string, password: string): Promise<readonly number[]> {
  const pages = await Promise.all(
    Array.from({ length: times }, async () => {
      const browser = env.newBrowser()
      return { browser, page: await env.authorize(browser) }
    }),
  )
  const views = await Promise.all(
    pages.map(({ browser, page }) => browser.submit(page, { login_name: loginName, password })),
  )
  return views.map(({ status }) => status)
}

describe('failed passwords of one account [F-33]', () => {
  it('allow five failures, then delay by a second', async () => {
    await fail(4)
    expect(await succeeds()).toBe(true)
    await fail(5)
    expect(await succeeds()).toBe(false)
    env.clock.advance(999)
    expect(await succeeds()).toBe(false)
    env.clock.advance(1)
    expect(await succeeds()).toBe(true)
  })

  it('double the delay with each further failure up to 15 minutes, without a permanent lock', async () => {
    await fail(5)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      env.clock.advance(seconds * 1000 - 1)
      expect(await succeeds(), `${seconds} s`).toBe(false)
      env.clock.advance(1)
      await tryPassword('user1', 'wrong')
      expect(lastTry()?.throttled, `${seconds} s`).toBe(false)
    }
    env.clock.advance(900_000)
    expect(await succeeds()).toBe(true)
  })

  it('are reset by a correct password after the delay', async () => {
    await fail(5)
    env.clock.advance(60_000)
    expect(await succeeds()).toBe(true)
    await fail(4)
    expect(await succeeds()).toBe(true)
  })

  it('are deleted by an administrator for one account only', async () => {
    await fail(5)
    await fail(5, 'globex1')
    const account = { userId: 'user1', attemptKey: attemptKeyOf('user1') }
    await env.signIns.forgetFailures(account, { timeoutMs: 20_000 })
    await fail(4)
    expect(await succeeds()).toBe(true)
    expect(await succeeds('globex1')).toBe(false)
  })

  it('return 429 with the delay for unknown and known names alike [F-32]', async () => {
    const bodyOf = ({ status, headers, body }: PageView) => ({
      status,
      retryAfter: headers['retry-after'],
      body: withoutRandomValues(body)
        .replace(/value="(user1|unknown)"/, '')
        .replaceAll(/%3Frequest%3D[\w-]+/g, ''),
    })
    const pages: unknown[] = []
    for (const loginName of ['user1', 'unknown']) {
      await fail(5, loginName)
      env.clock.advance(1000)
      for (let failure = 0; failure < 2; failure += 1) await tryPassword(loginName, 'wrong')
      pages.push(bodyOf(await tryPassword(loginName, PASSWORD)))
      expect(lastTry()).toMatchObject({ loginName, throttled: true })
    }
    expect(pages[0]).toMatchObject({
      status: 429,
      retryAfter: '2',
      body: expect.stringContaining('Too many failed sign-ins to this account. Wait 2 seconds'),
    })
    expect(pages[1]).toEqual(pages[0])
  })

  it('are counted together for all names of an account and apart for other accounts', async () => {
    await fail(2, 'user1')
    await fail(2, ' USER1 ')
    await fail(1, 'user1@acme.localhost')
    expect(await succeeds('user1')).toBe(false)
    expect(await succeeds('user1@acme.localhost')).toBe(false)
    expect(await succeeds('user2')).toBe(true)
  })

  it('allow as many guesses to concurrent attempts as to sequential ones', async () => {
    const before = env.fakes.passwordTries.length
    expect((await tryAtOnce(30, 'user3', 'wrong')).filter((status) => status === 400)).toHaveLength(5)
    const tries = env.fakes.passwordTries.slice(before)
    expect(tries).toHaveLength(30)
    expect(tries.filter(({ throttled }) => !throttled)).toHaveLength(5)
  })

  it('do not delay ten concurrent correct sign-ins', async () => {
    let running = 0
    let most = 0
    env.fakes.whileVerifying = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
    }
    expect(await tryAtOnce(10, 'user3', PASSWORD)).toEqual(Array(10).fill(303))
    expect(most).toBeLessThanOrEqual(5)
  })

  it('do not include errors of an unavailable directory', async () => {
    env.fakes.away.add('directory')
    for (let outage = 0; outage < 8; outage += 1)
      expect((await tryPassword('user1', PASSWORD)).status).toBe(503)
    env.fakes.away.clear()
    expect(await succeeds()).toBe(true)
  })

  it.each([
    { limit: 2, throttled: true },
    { limit: 0, throttled: false },
  ])('follow the limit of $limit of the directory', async ({ limit, throttled }) => {
    env.fakes.maxPasswordAttempts = limit
    for (let failure = 0; failure < 8; failure += 1) await tryPassword('globex1', 'wrong')
    expect(lastTry()?.throttled).toBe(throttled)
  })
})

describe('a browser that signed in to the account before', () => {
  const known = async (loginName = 'user1') => {
    const browser = env.newBrowser()
    expect(await succeeds(loginName, browser)).toBe(true)
    return browser
  }
  /** A new sign-in in a browser with a session. */
  const signsIn = async (browser: TestBrowser, password = PASSWORD, loginName = 'user1') => {
    const page = await env.authorize(browser, { prompt: 'login' })
    return (await browser.submit(page, { login_name: loginName, password })).status
  }

  it('signs in while other browsers fail; another browser is delayed, not locked out [fault.lock-out-by-others]', async () => {
    const browser = await known()
    await fail(5)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      env.clock.advance(seconds * 1000)
      await tryPassword('user1', 'wrong')
      expect(await signsIn(browser)).toBe(303)
      expect(await succeeds()).toBe(false)
    }
    env.clock.advance(900_000)
    expect(await succeeds()).toBe(true)
  })

  it('has its own counter with the same delays', async () => {
    const browser = await known()
    for (let failure = 0; failure < 5; failure += 1) expect(await signsIn(browser, 'wrong')).toBe(400)
    expect(await signsIn(browser)).toBe(429)
    expect(await succeeds()).toBe(true)
    env.clock.advance(1000)
    expect(await signsIn(browser)).toBe(303)
  })

  it('is unknown to other accounts and can be known to several', async () => {
    const browser = await known()
    await fail(5, 'user2')
    expect(await signsIn(browser, PASSWORD, 'user2')).toBe(429)
    env.clock.advance(1000)
    expect(await signsIn(browser, PASSWORD, 'user2')).toBe(303)
    await fail(5, 'user1')
    await fail(5, 'user2')
    expect(await signsIn(browser, PASSWORD, 'user1')).toBe(303)
    expect(await signsIn(browser, PASSWORD, 'user2')).toBe(303)
  })

  it('is unknown after a password reset and after 90 days', async () => {
    const browser = await known()
    env.fakes.epochs.user += 1n
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
    env.clock.advance(1000)
    expect(await signsIn(browser)).toBe(303)
    env.clock.advance(90 * 24 * 3_600_000)
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
    env.fakes.epochs.user = 0n
  })

  it('is unknown with a changed cookie', async () => {
    const browser = await known()
    const value = browser.cookies.get('signet.device') ?? ''
    browser.cookies.set('signet.device', `${value.slice(0, -1)}${value.endsWith('A') ? 'E' : 'A'}`)
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
  })

  it('is known after the second factor, not before', async () => {
    const browser = env.newBrowser()
    expect((await tryPassword('totpuser', PASSWORD, browser)).status).toBe(303)
    expect(browser.cookies.get('signet.device')).toBeUndefined()
  })
})

describe('failed passwords from one network [F-33]', () => {
  const failUnderNames = async (names: number) => {
    for (let name = 0; name < names; name += 1) await tryPassword(`unknown-${name}`, 'wrong')
  }

  it('are refused after a hundred accounts failed within 15 minutes, until the window ends', async () => {
    const known = env.newBrowser()
    expect(await succeeds('user1', known)).toBe(true)
    await failUnderNames(100)
    const tries = env.fakes.passwordTries.length
    const refused = await tryPassword('user2', PASSWORD)
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '900' } })
    expect(refused.body).toContain('Too many failed sign-ins from your network. Wait 15 minutes')
    expect(env.fakes.passwordTries).toHaveLength(tries)
    const page = await env.authorize(known, { prompt: 'login' })
    expect((await known.submit(page, { login_name: 'user1', password: PASSWORD })).status).toBe(303)
    env.clock.advance(900_000)
    expect(await succeeds('user2')).toBe(true)
  })

  it('of one user do not block other users', async () => {
    env.fakes.maxPasswordAttempts = 0
    await fail(105)
    expect(await succeeds('user2')).toBe(true)
  })

  it('do not include successful sign-ins (conformance, pages 7)', async () => {
    for (let count = 0; count < 110; count += 1) expect(await succeeds('user2')).toBe(true)
  })
})

it('Redis contains no login names, passwords or addresses [F-46]', async () => {
  await tryPassword('my-secret-typed-as-name', 'wrong-secret')
  const keys = await env.redis.keys('signet:login:attempts:*')
  expect(keys).toHaveLength(2)
  expect(keys.join()).not.toMatch(/secret|127\.0\.0\.1/)
})

describe('the request rate of one network [F-48]', () => {
  let limited: TestEnvironment
  beforeAll(async () => {
    limited = await startTestEnvironment({ signInLimit: 5 })
  })
  afterAll(() => limited?.stop())

  it.each([
    '/oauth/v2/authorize?client_id=web',
    '/ui/login?request=x',
    '/ui/register?request=x',
    '/ui/totp?request=x',
  ])(
    '%s returns 429 with Retry-After and a page above the limit, and works again after a second',
    async (path) => {
      limited.clock.advance(10_000)
      const browser = limited.newBrowser()
      for (let count = 0; count < 5; count += 1) expect((await browser.get(path)).status).not.toBe(429)
      const refused = await browser.get(path)
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
      expect(refused.text).toContain('too many requests from your network')
      expect((await browser.get('/oidc/v1/end_session')).status).not.toBe(429)
      limited.clock.advance(1_000)
      expect((await browser.get(path)).status).not.toBe(429)
    },
  )

  it('limits logout tokens of providers apart from its people, at ten times as many, until a second later', async () => {
    limited.clock.advance(10_000)
    limited.upstream.logoutRefusal = { rule: 'logout_token_malformed' }
    const browser = limited.newBrowser()
    const path = '/ui/identity-providers/corp/backchannel-logout'
    const send = (to = path) => browser.post(to, { logout_token: 'a token' })
    for (let count = 0; count < 5; count += 1) await browser.get('/ui/login?request=x')
    expect((await browser.get('/ui/login?request=x')).status).toBe(429)
    for (let count = 0; count < 50; count += 1)
      expect((await send(count % 2 === 0 ? path : `${path}/`)).status).toBe(400)
    const refused = await send(path.toUpperCase())
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(JSON.parse(refused.body)).toMatchObject({ error: 'temporarily_unavailable' })
    limited.clock.advance(1_000)
    expect((await send()).status).toBe(400)
    expect((await browser.get('/ui/login?request=x')).status).toBe(400)
  })
})

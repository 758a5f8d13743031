import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { attemptKeyOf, PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
beforeEach(async () => {
  await world.redis.flushdb()
  world.peers.maxPasswordAttempts = 5
  world.peers.whileVerifying = async () => undefined
})
afterAll(() => world.stop())

async function tryPassword(
  loginName: string,
  password: string,
  browser = world.newBrowser(),
): Promise<PageView> {
  return browser.submit(await world.authorize(browser), { login_name: loginName, password })
}

async function fail(times: number, loginName = 'alice', browser?: TestBrowser): Promise<void> {
  for (let failure = 0; failure < times; failure += 1) {
    expect((await tryPassword(loginName, 'wrong', browser)).status).toBe(400)
  }
}

const succeeds = async (loginName = 'alice', browser?: TestBrowser) =>
  (await tryPassword(loginName, PASSWORD, browser)).status === 303
const lastTry = () => world.peers.passwordTries.at(-1)

/** Tries at once, each from a browser of its own. */
async function tryAtOnce(times: number, loginName: string, password: string): Promise<readonly number[]> {
  const pages = await Promise.all(
    Array.from({ length: times }, async () => {
      const browser = world.newBrowser()
      return { browser, page: await world.authorize(browser) }
    }),
  )
  const views = await Promise.all(
    pages.map(({ browser, page }) => browser.submit(page, { login_name: loginName, password })),
  )
  return views.map(({ status }) => status)
}

describe('F-33: failed passwords of one account', () => {
  it('five cost nothing, the next try has to wait a second', async () => {
    await fail(4)
    expect(await succeeds()).toBe(true)
    await fail(5)
    expect(await succeeds()).toBe(false)
    world.clock.advance(999)
    expect(await succeeds()).toBe(false)
    world.clock.advance(1)
    expect(await succeeds()).toBe(true)
  })

  it('the delay doubles with each further failure, up to 15 minutes, and is never for ever', async () => {
    await fail(5)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      world.clock.advance(seconds * 1000 - 1)
      expect(await succeeds(), `${seconds} s`).toBe(false)
      world.clock.advance(1)
      await tryPassword('alice', 'wrong')
      expect(lastTry()?.throttled, `${seconds} s`).toBe(false)
    }
    world.clock.advance(900_000)
    expect(await succeeds()).toBe(true)
  })

  it('a right password after the delay clears what counted', async () => {
    await fail(5)
    world.clock.advance(60_000)
    expect(await succeeds()).toBe(true)
    await fail(4)
    expect(await succeeds()).toBe(true)
  })

  it('D: an administrator lifts them for one account and for no other', async () => {
    await fail(5)
    await fail(5, 'dora')
    const account = { userId: 'alice', attemptKey: attemptKeyOf('alice') }
    await world.signIns.forgetFailures(account, { timeoutMs: 20_000 })
    await fail(4)
    expect(await succeeds()).toBe(true)
    expect(await succeeds('dora')).toBe(false)
  })

  it('F-32: answers 429 with the time to wait, for an unknown name as for a known one', async () => {
    const bodyOf = ({ status, headers, body }: PageView) => ({
      status,
      retryAfter: headers['retry-after'],
      body: body
        .replace(/(name="(request|csrf)" value="|request=)[^"]*"/g, '')
        .replace(/value="(alice|nobody)"/, ''),
    })
    const pages: unknown[] = []
    for (const loginName of ['alice', 'nobody']) {
      await fail(5, loginName)
      world.clock.advance(1000)
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

  it('counts all names of an account together, however they are written, and other accounts apart', async () => {
    await fail(2, 'alice')
    await fail(2, ' ALICE ')
    await fail(1, 'alice@acme.localhost')
    expect(await succeeds('alice')).toBe(false)
    expect(await succeeds('alice@acme.localhost')).toBe(false)
    expect(await succeeds('bob')).toBe(true)
  })

  it('of many tries at once no more get through than of as many in a row', async () => {
    const before = world.peers.passwordTries.length
    expect((await tryAtOnce(30, 'carol', 'wrong')).filter((status) => status === 400)).toHaveLength(5)
    const tries = world.peers.passwordTries.slice(before)
    expect(tries).toHaveLength(30)
    expect(tries.filter(({ throttled }) => !throttled)).toHaveLength(5)
  })

  it('ten right sign-ins of one account at once all succeed', async () => {
    let running = 0
    let most = 0
    world.peers.whileVerifying = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
    }
    expect(await tryAtOnce(10, 'carol', PASSWORD)).toEqual(Array(10).fill(303))
    expect(most).toBeLessThanOrEqual(5)
  })

  it('a directory that is away is nobody’s failure', async () => {
    world.peers.away.add('directory')
    for (let outage = 0; outage < 8; outage += 1)
      expect((await tryPassword('alice', PASSWORD)).status).toBe(503)
    world.peers.away.clear()
    expect(await succeeds()).toBe(true)
  })

  it.each([
    { limit: 2, throttled: true },
    { limit: 0, throttled: false },
  ])('obeys a limit of $limit that the directory names', async ({ limit, throttled }) => {
    world.peers.maxPasswordAttempts = limit
    for (let failure = 0; failure < 8; failure += 1) await tryPassword('dora', 'wrong')
    expect(lastTry()?.throttled).toBe(throttled)
  })
})

describe('a browser that signed the account in before', () => {
  const known = async (loginName = 'alice') => {
    const browser = world.newBrowser()
    expect(await succeeds(loginName, browser)).toBe(true)
    return browser
  }
  /** A sign-in again although there is a session. */
  const signsIn = async (browser: TestBrowser, password = PASSWORD, loginName = 'alice') => {
    const page = await world.authorize(browser, { prompt: 'login' })
    return (await browser.submit(page, { login_name: loginName, password })).status
  }

  it('signs in while strangers keep failing; another browser is delayed, never for ever', async () => {
    const browser = await known()
    await fail(5)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      world.clock.advance(seconds * 1000)
      await tryPassword('alice', 'wrong')
      expect(await signsIn(browser)).toBe(303)
      expect(await succeeds()).toBe(false)
    }
    world.clock.advance(900_000)
    expect(await succeeds()).toBe(true)
  })

  it('has a counter of its own with the same delays', async () => {
    const browser = await known()
    for (let failure = 0; failure < 5; failure += 1) expect(await signsIn(browser, 'wrong')).toBe(400)
    expect(await signsIn(browser)).toBe(429)
    expect(await succeeds()).toBe(true)
    world.clock.advance(1000)
    expect(await signsIn(browser)).toBe(303)
  })

  it('is a stranger to other accounts, and knows several', async () => {
    const browser = await known()
    await fail(5, 'bob')
    expect(await signsIn(browser, PASSWORD, 'bob')).toBe(429)
    world.clock.advance(1000)
    expect(await signsIn(browser, PASSWORD, 'bob')).toBe(303)
    await fail(5, 'alice')
    await fail(5, 'bob')
    expect(await signsIn(browser, PASSWORD, 'alice')).toBe(303)
    expect(await signsIn(browser, PASSWORD, 'bob')).toBe(303)
  })

  it('is a stranger after a password reset and after 90 days', async () => {
    const browser = await known()
    world.peers.epochs.user += 1n
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
    world.clock.advance(1000)
    expect(await signsIn(browser)).toBe(303)
    world.clock.advance(90 * 24 * 3_600_000)
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
    world.peers.epochs.user = 0n
  })

  it('is a stranger when its cookie was altered', async () => {
    const browser = await known()
    const value = browser.cookies.get('signet.device') ?? ''
    browser.cookies.set('signet.device', `${value.slice(0, -1)}${value.endsWith('A') ? 'E' : 'A'}`)
    await fail(5)
    expect(await signsIn(browser)).toBe(429)
  })

  it('is known after a second factor, not before', async () => {
    const browser = world.newBrowser()
    expect((await tryPassword('tilda', PASSWORD, browser)).status).toBe(303)
    expect(browser.cookies.get('signet.device')).toBeUndefined()
  })
})

describe('F-33: failed passwords from one network', () => {
  const failUnderNames = async (names: number) => {
    for (let name = 0; name < names; name += 1) await tryPassword(`nobody-${name}`, 'wrong')
  }

  it('after failures of a hundred accounts within 15 minutes there is no further try, and then there is', async () => {
    const known = world.newBrowser()
    expect(await succeeds('alice', known)).toBe(true)
    await failUnderNames(100)
    const tries = world.peers.passwordTries.length
    const refused = await tryPassword('bob', PASSWORD)
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '900' } })
    expect(refused.body).toContain('Too many failed sign-ins from your network. Wait 15 minutes')
    expect(world.peers.passwordTries).toHaveLength(tries)
    const page = await world.authorize(known, { prompt: 'login' })
    expect((await known.submit(page, { login_name: 'alice', password: PASSWORD })).status).toBe(303)
    world.clock.advance(900_000)
    expect(await succeeds('bob')).toBe(true)
  })

  it('the failures of one person lock nobody else out', async () => {
    world.peers.maxPasswordAttempts = 0
    await fail(105)
    expect(await succeeds('bob')).toBe(true)
  })

  it('conformance, pages 7: sign-ins that succeed never count', async () => {
    for (let count = 0; count < 110; count += 1) expect(await succeeds('bob')).toBe(true)
  })
})

it('F-46: Redis holds neither the names that were typed nor passwords nor addresses', async () => {
  await tryPassword('my-secret-typed-as-name', 'wrong-secret')
  const keys = await world.redis.keys('signet:login:attempts:*')
  expect(keys).toHaveLength(2)
  expect(keys.join()).not.toMatch(/secret|127\.0\.0\.1/)
})

describe('F-48: requests of one network', () => {
  let limited: LoginWorld
  beforeAll(async () => {
    limited = await startLoginWorld({ signInLimit: 5 })
  })
  afterAll(() => limited?.stop())

  it.each([
    '/oauth/v2/authorize?client_id=web',
    '/ui/login?request=x',
    '/ui/register?request=x',
    '/ui/totp?request=x',
  ])(
    '%s answers 429 with Retry-After and a page after the limit, and goes on after a second',
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
})

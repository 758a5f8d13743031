import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
beforeEach(async () => {
  await world.redis.flushdb()
  world.peers.totpCodes.clear()
})
afterAll(() => world.stop())

const TILDA = { login_name: 'tilda', password: PASSWORD }

/** The page that asks for the code, with a password that was right. */
async function afterPassword(browser: TestBrowser, parameters = {}): Promise<PageView> {
  const page = await browser.follow(await browser.submit(await world.authorize(browser, parameters), TILDA))
  expect(page.body).toContain('id="totp-code"')
  return page
}

function newCode(): string {
  const code = String(100_000 + world.peers.totpTries.length)
  world.peers.totpCodes.add(code)
  return code
}

const isSignedIn = async (browser: TestBrowser) =>
  (await world.authorize(browser, { prompt: 'none' })).location.includes('code=')

describe('F-34: an account with a second factor', () => {
  it('is asked for a code after the password, and signed in with both', async () => {
    const browser = world.newBrowser()
    const page = await afterPassword(browser, { state: 'two' })
    expect(page.status).toBe(200)
    expect(page.body).toMatch(/<button id="totp-submit" type="submit">/)
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(new URL(answer.location).searchParams.get('state')).toBe('two')
    const { session } = world.peers.codeRequests.at(-1) ?? {}
    expect(session).toMatchObject({ userId: 'tilda', amr: ['pwd', 'otp', 'mfa'] })
    expect(world.peers.totpTries.at(-1)?.userId).toBe('tilda')
  })

  it('has no session, and no cookie, with the password alone', async () => {
    const browser = world.newBrowser()
    await afterPassword(browser)
    expect(browser.cookies.has('signet.session')).toBe(false)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is asked again for a code that is wrong or was used', async () => {
    const first = world.newBrowser()
    const code = newCode()
    await browserSignsIn(first, code)
    const browser = world.newBrowser()
    const page = await afterPassword(browser)
    for (const wrong of [code, '000000']) {
      const refused = await browser.submit(page, { code: wrong })
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('The code is not right or was used already')
    }
    expect(await isSignedIn(browser)).toBe(false)
    await browser.submit(page, { code: newCode() })
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('asks nobody for an empty code', async () => {
    const browser = world.newBrowser()
    const tries = world.peers.totpTries.length
    expect((await browser.submit(await afterPassword(browser), { code: ' ' })).text).toContain(
      'Enter the code',
    )
    expect(world.peers.totpTries).toHaveLength(tries)
  })

  it('has to begin with the password again after ten minutes', async () => {
    const browser = world.newBrowser()
    const page = await afterPassword(browser)
    world.clock.advance(10 * 60_000 + 1)
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(answer.body).toContain('id="password"')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('keeps the question while the directory is away', async () => {
    const browser = world.newBrowser()
    const page = await afterPassword(browser)
    world.peers.away.add('directory')
    const answer = await browser.submit(page, { code: newCode() })
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('not possible right now')
    world.peers.away.clear()
    await browser.submit(page, { code: newCode() })
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('a code without its password', () => {
  it('is worth nothing: not in another browser, not for another request, not before the password', async () => {
    const browser = world.newBrowser()
    const page = await afterPassword(browser)
    const tries = world.peers.totpTries.length
    const thief = world.newBrowser()
    await world.authorize(thief)
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/name="(request|csrf)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    expect((await thief.post('/ui/totp', { ...hidden, code: newCode() })).text).toContain('Request rejected')

    const login = await world.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1] ?? ''
    const elsewhere = await browser.follow(await browser.get(`/ui/totp?request=${request}`))
    expect(elsewhere.body).toContain('id="password"')
    expect(world.peers.totpTries).toHaveLength(tries)
  })
})

describe('F-33: guessing codes', () => {
  it('is refused after five failures, a right code included, until a delay has passed', async () => {
    const browser = world.newBrowser()
    const page = await afterPassword(browser)
    for (let failure = 0; failure < 5; failure += 1) await browser.submit(page, { code: '000000' })
    expect((await browser.submit(page, { code: newCode() })).status).toBe(429)
    expect(world.peers.totpTries.at(-1)?.throttled).toBe(true)
    world.clock.advance(1_000)
    await browser.submit(page, { code: newCode() })
    expect(world.peers.totpTries.at(-1)?.throttled).toBe(false)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('is not made free by entering the password in between', async () => {
    const browser = world.newBrowser()
    for (let failure = 0; failure < 5; failure += 1) {
      await browser.submit(await afterPassword(browser), { code: '000000' })
    }
    await browser.submit(await afterPassword(browser), { code: newCode() })
    expect(world.peers.totpTries.at(-1)?.throttled).toBe(true)
  })
})

async function browserSignsIn(browser: TestBrowser, code: string): Promise<void> {
  await browser.submit(await afterPassword(browser), { code })
  expect(await isSignedIn(browser)).toBe(true)
}

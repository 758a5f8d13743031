import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(async () => {
  await env.redis.flushdb()
  env.fakes.totpCodes.clear()
})
afterAll(() => env.stop())

const TOTPUSER = { login_name: 'totpuser', password: PASSWORD }

/** The page that asks for the code, after a correct password. */
async function afterPassword(browser: TestBrowser, parameters = {}): Promise<PageView> {
  const page = await browser.follow(await browser.submit(await env.authorize(browser, parameters), TOTPUSER))
  expect(page.body).toContain('id="totp-code"')
  return page
}

function newCode(): string {
  const code = String(100_000 + env.fakes.totpTries.length)
  env.fakes.totpCodes.add(code)
  return code
}

const isSignedIn = async (browser: TestBrowser) =>
  (await env.authorize(browser, { prompt: 'none' })).location.includes('code=')

describe('an account with a second factor [F-34]', () => {
  it('is asked for a code after the password and signed in with both', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser, { state: 'two' })
    expect(page.status).toBe(200)
    expect(page.body).toMatch(/<button id="totp-submit" type="submit">/)
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(new URL(answer.location).searchParams.get('state')).toBe('two')
    const { session } = env.fakes.codeRequests.at(-1) ?? {}
    expect(session).toMatchObject({ userId: 'totpuser', amr: ['pwd', 'otp', 'mfa'] })
    expect(env.fakes.totpTries.at(-1)?.userId).toBe('totpuser')
  })

  it('gets no session and no cookie for the password alone', async () => {
    const browser = env.newBrowser()
    await afterPassword(browser)
    expect(browser.cookies.has('signet.session')).toBe(false)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is asked again after a wrong or used code', async () => {
    const first = env.newBrowser()
    const code = newCode()
    await browserSignsIn(first, code)
    const browser = env.newBrowser()
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

  it('is asked again after an empty code without a call to the directory', async () => {
    const browser = env.newBrowser()
    const tries = env.fakes.totpTries.length
    expect((await browser.submit(await afterPassword(browser), { code: ' ' })).text).toContain(
      'Enter the code',
    )
    expect(env.fakes.totpTries).toHaveLength(tries)
  })

  it('has to enter the password again after ten minutes', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    env.clock.advance(10 * 60_000 + 1)
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(answer.body).toContain('id="password"')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('is asked again after the directory was unavailable', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    env.fakes.away.add('directory')
    const answer = await browser.submit(page, { code: newCode() })
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('not possible right now')
    env.fakes.away.clear()
    await browser.submit(page, { code: newCode() })
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('a code without its password', () => {
  it('is rejected in another browser, for another request and before the password', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    const tries = env.fakes.totpTries.length
    const thief = env.newBrowser()
    await env.authorize(thief)
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/name="(request|csrf)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    expect((await thief.post('/ui/totp', { ...hidden, code: newCode() })).text).toContain('Request rejected')

    const login = await env.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1] ?? ''
    const elsewhere = await browser.follow(await browser.get(`/ui/totp?request=${request}`))
    expect(elsewhere.body).toContain('id="password"')
    expect(env.fakes.totpTries).toHaveLength(tries)
  })
})

describe('guessing codes [F-33]', () => {
  it('is delayed after five failures, for a correct code too', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    for (let failure = 0; failure < 5; failure += 1) await browser.submit(page, { code: '000000' })
    expect((await browser.submit(page, { code: newCode() })).status).toBe(429)
    expect(env.fakes.totpTries.at(-1)?.throttled).toBe(true)
    env.clock.advance(1_000)
    await browser.submit(page, { code: newCode() })
    expect(env.fakes.totpTries.at(-1)?.throttled).toBe(false)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('is not reset by entering the password again', async () => {
    const browser = env.newBrowser()
    for (let failure = 0; failure < 5; failure += 1) {
      await browser.submit(await afterPassword(browser), { code: '000000' })
    }
    await browser.submit(await afterPassword(browser), { code: newCode() })
    expect(env.fakes.totpTries.at(-1)?.throttled).toBe(true)
  })
})

async function browserSignsIn(browser: TestBrowser, code: string): Promise<void> {
  await browser.submit(await afterPassword(browser), { code })
  expect(await isSignedIn(browser)).toBe(true)
}

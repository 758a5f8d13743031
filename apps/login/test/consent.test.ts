import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = world.newBrowser()
  for (const loginName of loginNames) {
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}

const ask = (browser: TestBrowser, scope = 'openid email offline_access', prompt = 'consent') =>
  world.authorize(browser, { prompt, scope })

async function decide(browser: TestBrowser, page: PageView, decision: string): Promise<URLSearchParams> {
  const answer = await browser.follow(await browser.submit(page, { decision }))
  return new URL(answer.location).searchParams
}

describe('F-38: prompt=consent', () => {
  it('names the application, the account and every scope, also to somebody who is signed in', async () => {
    const page = await ask(await signedIn('alice'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('Signed in as alice@acme.localhost')
    expect(page.text).toContain('Portal &lt;web&gt; asks for:')
    expect(page.text).toContain('Your e-mail address')
    expect(page.text).toContain('Access that lasts while you are away')
    expect(page.body).toMatch(/<button id="consent-allow" type="submit"/)
    expect(page.body).toMatch(/<button class="second" id="consent-deny" type="submit"/)
  })

  it('goes on when it is allowed, records it, and asks the next time all the same', async () => {
    const browser = await signedIn('alice')
    const answer = await decide(browser, await ask(browser), 'allow')
    expect(answer.get('code')).toMatch(/^code-/)
    expect(answer.get('state')).toBe('st&te=1')
    expect(world.peers.consents.get('alice web')).toEqual(new Set(['openid', 'email', 'offline_access']))
    const again = await ask(browser, 'openid email phone')
    expect(again.text).toContain('Your e-mail address (allowed before)')
    expect(again.text).toContain('Your phone number Allow')
  })

  it('answers access_denied when it is denied, once, and records nothing', async () => {
    const browser = await signedIn('bob')
    const page = await ask(browser)
    const answer = await decide(browser, page, 'deny')
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st&te=1',
      iss: world.issuer,
    })
    expect(world.peers.consents.has('bob web')).toBe(false)
    expect((await browser.submit(page, { decision: 'allow' })).text).toContain('Request rejected')
  })

  it('takes anything but "allow" for a refusal', async () => {
    const browser = await signedIn('bob')
    expect((await decide(browser, await ask(browser), '')).get('error')).toBe('access_denied')
  })

  it('comes after the sign-in where nobody is signed in', async () => {
    const browser = world.newBrowser()
    const login = await ask(browser)
    expect(login.body).toContain('id="login-name"')
    const page = await browser.follow(
      await browser.submit(login, { login_name: 'carol', password: 'Correct-horse-9' }),
    )
    expect(page.text).toContain('Signed in as carol@acme.localhost')
    expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('is asked of the account that was chosen', async () => {
    const browser = await signedIn('alice', 'bob')
    const chooser = await ask(browser, 'openid', 'consent select_account')
    const sids = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(([, sid = '']) => sid)
    expect(sids).toHaveLength(2)
    const first = await browser.follow(await browser.submit(chooser, { sid: sids[0] ?? '' }))
    expect(first.text).toContain('Signed in as ')
    expect((await decide(browser, first, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('what one account allowed, another that is chosen afterwards did not', async () => {
    const browser = await signedIn('alice', 'bob')
    const chooser = await ask(browser, 'openid', 'consent')
    const [one = '', other = ''] = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(
      ([, sid]) => sid,
    )
    const page = await browser.follow(await browser.submit(chooser, { sid: one }))
    await browser.submit(page, { decision: 'allow' })
    const second = await browser.follow(await browser.submit(chooser, { sid: other }))
    expect(second.body).toContain('id="consent-allow"')
  })

  it('is no page for a request that needs none', async () => {
    const browser = world.newBrowser()
    const login = await world.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1]
    const page = await browser.follow(await browser.get(`/ui/consent?request=${request}`))
    expect(page.body).toContain('id="login-name"')
  })
})

it('F-15: takes no form of another page', async () => {
  const browser = await signedIn('carol')
  const page = await ask(browser)
  world.peers.consents.clear()
  const forged = await browser.submit(page, { decision: 'allow', csrf: 'A'.repeat(43) })
  expect(forged.text).toContain('Request rejected')
  expect(world.peers.consents.size).toBe(0)
})

it('keeps the question while the directory is away', async () => {
  const browser = await signedIn('carol')
  const page = await ask(browser)
  world.peers.away.add('directory')
  expect((await browser.submit(page, { decision: 'allow' })).status).toBe(503)
  world.peers.away.clear()
  expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

const ALICE = { login_name: 'alice', password: PASSWORD }
const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

function expectRejected(page: PageView): void {
  expect(page).toMatchObject({ status: 400, location: '' })
  expect(page.text).toContain('Request rejected')
}

describe('the page', () => {
  it('is a plain form with the fields that the page contract names', async () => {
    const page = await world.authorize(world.newBrowser())
    expect(page.body).toMatch(/<form method="post" action="\/ui\/login">/)
    expect(page.body).toMatch(/<label for="login-name">/)
    expect(page.body).toMatch(/<input id="login-name" name="login_name"/)
    expect(page.body).toMatch(/<input id="password" name="password" type="password"/)
    expect(page.body).toMatch(/<button id="login-submit" type="submit">/)
    expect(page.body).not.toContain('<script')
    expect(page.text).toContain('to continue to Portal &lt;web&gt;')
  })

  it('F-13, F-15: is stored nowhere, framed nowhere, and carries the exact policy', async () => {
    const login = await world.authorize(world.newBrowser())
    const pages = [
      login,
      await world.newBrowser().get('/oauth/v2/authorize'),
      await world.newBrowser().get('/ui/logout/done'),
      await world.newBrowser().get('/ui/nowhere'),
    ]
    for (const { headers } of pages) {
      expect(headers).toMatchObject({
        'content-security-policy': CSP,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
      })
    }
    expect(pages.map(({ status }) => status)).toEqual([200, 400, 200, 404])
  })

  it('escapes what the client and the person bring', async () => {
    const browser = world.newBrowser()
    const hostile = '"><script>alert(1)</script>'
    const page = await world.authorize(browser, { login_hint: hostile })
    expect(page.body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    const again = await browser.submit(page, { login_name: hostile, password: 'x' })
    expect(again.body).not.toContain('<script')
    expect((await browser.get('/oauth/v2/authorize?client_id=<script>')).body).not.toContain('<script')
  })

  it('has a stylesheet that may be kept for ever under its own name only', async () => {
    const browser = world.newBrowser()
    const { body } = await world.authorize(browser)
    const path = /<link rel="stylesheet" href="([^"]+)">/.exec(body)?.[1] ?? ''
    expect(path).toMatch(/^\/ui\/assets\/signet-[0-9a-f]{16}\.css$/)
    const own = await browser.get(path)
    expect(own.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const other = await browser.get('/ui/assets/signet-0000000000000000.css')
    expect(other).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect((await browser.get('/ui/assets/..%2fpackage.json')).status).toBe(404)
    expect((await browser.get('/ui/assets/%ff')).status).toBe(400)
  })
})

describe('a sign-in that is refused', () => {
  it('F-32: looks the same for a wrong password and an unknown user but for what was typed', async () => {
    const browser = world.newBrowser()
    const page = await world.authorize(browser)
    const answers = await Promise.all(
      ['alice', 'nobody'].map(async (name) => {
        const answer = await browser.submit(page, { login_name: name, password: 'wrong' })
        return { status: answer.status, body: answer.body.replaceAll(`value="${name}"`, 'value=""') }
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.status).toBe(400)
    expect(answers[0]?.body).toContain('role="alert"')
    expect(answers[0]?.body).toContain('Sign in')
    expect(browser.cookies.has('signet.session')).toBe(false)
  })

  it('keeps the request, so that the right password goes on from there', async () => {
    const browser = world.newBrowser()
    const refused = await browser.submit(await world.authorize(browser), { ...ALICE, password: 'wrong' })
    expect((await world.signIn(browser, refused)).get('code')).toMatch(/^code-/)
  })

  it('asks nobody when a field is empty', async () => {
    const browser = world.newBrowser()
    const tries = world.peers.passwordTries.length
    const answer = await browser.submit(await world.authorize(browser), { login_name: ' ', password: '' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Enter your login name')
    expect(world.peers.passwordTries).toHaveLength(tries)
  })
})

describe('F-15: a form that is not ours', () => {
  it.each([
    ['without a token', { csrf: '' }],
    ['with a token of our length', { csrf: 'A'.repeat(43) }],
    ['for another pending request', { request: 'A'.repeat(43) }],
  ])('is refused %s, without trying the password', async (_what, forged) => {
    const browser = world.newBrowser()
    const tries = world.peers.passwordTries.length
    expectRejected(await browser.submit(await world.authorize(browser), { ...ALICE, ...forged }))
    expect(world.peers.passwordTries).toHaveLength(tries)
  })

  it('cannot sign a victim in to the account of somebody else', async () => {
    const attacker = world.newBrowser()
    const page = await world.authorize(attacker)
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/name="(request|csrf)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    const victim = world.newBrowser()
    await world.authorize(victim)
    expectRejected(await victim.post('/ui/login', { ...hidden, ...ALICE }))
    expectRejected(await victim.get(`/ui/login?request=${hidden.request}`))
    expectRejected(await victim.get(`/oauth/v2/authorize?continue=${hidden.request}`))
    expectRejected(await victim.post('/ui/login', { ...hidden, ...ALICE }, { withCookies: false }))
  })
})

describe('tabs, the way back and double clicks', () => {
  it('signs in in two tabs that were open before, each with its own answer', async () => {
    const browser = world.newBrowser()
    const one = await world.authorize(browser, { state: 'one' })
    const two = await world.authorize(browser, { state: 'two' })
    expect((await world.signIn(browser, one)).get('state')).toBe('one')
    expect((await world.signIn(browser, two)).get('state')).toBe('two')
  })

  it('lets a waiting tab go on by a reload once another tab has signed in', async () => {
    const browser = world.newBrowser()
    const waiting = await world.authorize(browser, { state: 'waiting' })
    const path = `/ui/login?request=${/name="request" value="([^"]*)"/.exec(waiting.body)?.[1]}`
    await world.signIn(browser, await world.authorize(browser))
    const answer = await browser.follow(await browser.get(path))
    expect(new URL(answer.location).searchParams.get('state')).toBe('waiting')
  })

  it('says what to do when the page is used again after it was answered', async () => {
    const browser = world.newBrowser()
    const page = await world.authorize(browser)
    await world.signIn(browser, page)
    const again = await browser.submit(page, ALICE)
    expectRejected(again)
    expect(again.text).toContain('Return to the application')
  })

  it('gives one code for a request however often its continuation is opened', async () => {
    const browser = world.newBrowser()
    const signedIn = await browser.submit(await world.authorize(browser), ALICE)
    const opened = await Promise.all(Array.from({ length: 10 }, () => browser.get(signedIn.location)))
    const answered = opened.filter(({ location }) => location.includes('code='))
    expect(answered).toHaveLength(1)
    for (const view of opened) if (!answered.includes(view)) expectRejected(view)
  })

  it('takes a double click: the second form is as good as the first', async () => {
    const browser = world.newBrowser()
    const page = await world.authorize(browser)
    const [, second] = [await browser.submit(page, ALICE), await browser.submit(page, ALICE)]
    expect((await browser.follow(second)).location).toContain('code=')
  })
})

describe('a pending request that is gone', () => {
  it('is explained', async () => {
    const browser = world.newBrowser()
    const page = await world.authorize(browser)
    await world.redis.flushdb()
    const answer = await browser.submit(page, ALICE)
    expectRejected(answer)
    expect(answer.text).toContain('expired')
    expectRejected(await browser.get('/ui/login'))
  })

  it('lives for 30 minutes in Redis', async () => {
    await world.authorize(world.newBrowser())
    const [key = ''] = await world.redis.keys('signet:login:authorization:*')
    const ttl = await world.redis.ttl(key)
    expect(ttl).toBeGreaterThan(1700)
    expect(ttl).toBeLessThanOrEqual(1800)
  })
})

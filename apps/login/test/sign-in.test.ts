import { hiddenFields } from '@signet/platform/load/http-browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageView, withoutRandomValues } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

const USER1 = { login_name: 'user1', password: PASSWORD }
const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

function expectRejected(page: PageView): void {
  expect(page).toMatchObject({ status: 400, location: '' })
  expect(page.text).toContain('Request rejected')
}

const OWN_SCRIPT =
  /<script type="module" nonce="[\w-]{22}" src="\/ui\/assets\/passkey-[0-9a-f]{16}\.js"><\/script>/
const PASSWORD_SCRIPT =
  /<script type="module" nonce="[\w-]{22}" src="\/ui\/assets\/show-password-[0-9a-f]{16}\.js"><\/script>/
const OWN_SCRIPT_POLICY = /script-src 'nonce-[\w-]{22}'; connect-src 'self'; /
const withoutOwnScript = (headers: PageView['headers']) =>
  String(headers['content-security-policy']).replace(OWN_SCRIPT_POLICY, '')

describe('the sign-in page', () => {
  it('is a plain form with the documented field ids', async () => {
    const page = await env.authorize(env.newBrowser())
    expect(page.body).toMatch(/<form method="post" action="\/ui\/login\?request=[\w-]{43}">/)
    expect(page.body).toMatch(/<label for="login-name">/)
    expect(page.body).toMatch(/<input id="login-name" name="login_name"/)
    expect(page.body).toMatch(/<input id="password" name="password" type="password"/)
    expect(page.body).toMatch(/<button id="login-submit" type="submit">/)
    expect(page.body.match(/<script/g)).toHaveLength(2)
    expect(page.body).toMatch(PASSWORD_SCRIPT)
    expect(page.body).toMatch(OWN_SCRIPT)
    expect(page.text).toContain('to continue to Portal &lt;web&gt;')
  })

  it('is not cached or framed, and has the exact policy [F-13, F-15]', async () => {
    const login = await env.authorize(env.newBrowser())
    const pages = [
      login,
      await env.newBrowser().get('/oauth/v2/authorize'),
      await env.newBrowser().get('/ui/logout/done'),
      await env.newBrowser().get('/ui/nowhere'),
    ]
    expect(login.headers['content-security-policy']).toMatch(OWN_SCRIPT_POLICY)
    for (const { headers } of pages) {
      expect({ ...headers, 'content-security-policy': withoutOwnScript(headers) }).toMatchObject({
        'content-security-policy': CSP,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
      })
    }
    expect(pages.map(({ status }) => status)).toEqual([200, 400, 200, 404])
  })

  it('escapes values of the client and of the user', async () => {
    const browser = env.newBrowser()
    const hostile = '"><script>alert(1)</script>'
    const page = await env.authorize(browser, { login_hint: hostile })
    expect(page.body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    const again = await browser.submit(page, { login_name: hostile, password: 'x' })
    expect(again.body).not.toContain('<script>')
    expect(again.body.match(/<script/g)).toHaveLength(2)
    expect((await browser.get('/oauth/v2/authorize?client_id=<script>')).body).not.toContain('<script')
  })

  it('has a stylesheet that is cacheable under its own name only', async () => {
    const browser = env.newBrowser()
    const { body } = await env.authorize(browser)
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

describe('a refused sign-in', () => {
  it('looks the same for a wrong password and an unknown user, except for the entered name [F-32]', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const answers = await Promise.all(
      ['user1', 'unknown'].map(async (name) => {
        const answer = await browser.submit(page, { login_name: name, password: 'wrong' })
        const body = answer.body.replaceAll(`value="${name}"`, 'value=""')
        return { status: answer.status, body: withoutRandomValues(body) }
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.status).toBe(400)
    expect(answers[0]?.body).toContain('role="alert"')
    expect(answers[0]?.body).toContain('Sign in')
    expect(browser.cookies.has('signet.session')).toBe(false)
  })

  it('keeps the request, so that the correct password continues it', async () => {
    const browser = env.newBrowser()
    const refused = await browser.submit(await env.authorize(browser), { ...USER1, password: 'wrong' })
    expect((await env.signIn(browser, refused)).get('code')).toMatch(/^code-/)
  })

  it('does not call the directory with an empty field', async () => {
    const browser = env.newBrowser()
    const tries = env.fakes.passwordTries.length
    const answer = await browser.submit(await env.authorize(browser), { login_name: ' ', password: '' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Enter your login name')
    expect(env.fakes.passwordTries).toHaveLength(tries)
  })
})

describe('a form without a valid token [F-15]', () => {
  it.each([
    ['without a token', { csrf: '' }],
    ['with a token of our length', { csrf: 'A'.repeat(43) }],
    ['for another pending request', { request: 'A'.repeat(43) }],
  ])('is rejected %s, without verifying the password', async (_what, forged) => {
    const browser = env.newBrowser()
    const tries = env.fakes.passwordTries.length
    expectRejected(await browser.submit(await env.authorize(browser), { ...USER1, ...forged }))
    expect(env.fakes.passwordTries).toHaveLength(tries)
  })

  it('cannot sign another browser in to an account', async () => {
    const attacker = env.newBrowser()
    const page = await env.authorize(attacker)
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/name="(request|csrf)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    const victim = env.newBrowser()
    await env.authorize(victim)
    expectRejected(await victim.post('/ui/login', { ...hidden, ...USER1 }))
    expectRejected(await victim.get(`/ui/login?request=${hidden.request}`))
    expectRejected(await victim.get(`/oauth/v2/authorize?continue=${hidden.request}`))
    expectRejected(await victim.post('/ui/login', { ...hidden, ...USER1 }, { withCookies: false }))
  })
})

describe('tabs, going back and double clicks', () => {
  it('signs in in two open tabs with one response each', async () => {
    const browser = env.newBrowser()
    const one = await env.authorize(browser, { state: 'one' })
    const two = await env.authorize(browser, { state: 'two' })
    expect((await env.signIn(browser, one)).get('state')).toBe('one')
    expect((await env.signIn(browser, two)).get('state')).toBe('two')
  })

  it('signs in in a tab whose browser cookie is replaced by a late answer to an earlier request', async () => {
    const [browser, other] = [env.newBrowser(), env.newBrowser()]
    await env.authorize(browser, { state: 'first' })
    const second = await env.authorize(browser, { state: 'second' })
    // A request that was sent before the first was answered.
    await env.authorize(other, { state: 'late' })
    for (const [name, value] of other.cookies) browser.cookies.set(name, value)
    expect((await env.signIn(browser, second)).get('state')).toBe('second')
  })

  it('gives forty cookies of waiting requests to a browser at most', async () => {
    const browser = env.newBrowser()
    for (let tab = 0; tab < 50; tab += 1) await env.authorize(browser)
    const waiting = [...browser.cookies.keys()].filter((name) => name.startsWith('signet.request.'))
    expect(waiting).toHaveLength(40)
  })

  it('continues a waiting tab on reload after a sign-in in another tab', async () => {
    const browser = env.newBrowser()
    const waiting = await env.authorize(browser, { state: 'waiting' })
    const path = `/ui/login?request=${/name="request" value="([^"]*)"/.exec(waiting.body)?.[1]}`
    await env.signIn(browser, await env.authorize(browser))
    const answer = await browser.follow(await browser.get(path))
    expect(new URL(answer.location).searchParams.get('state')).toBe('waiting')
  })

  it('explains a page that is used again after its response', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    await env.signIn(browser, page)
    const back = await browser.get(`/ui/login?request=${hiddenFields(page).request}`)
    expect(back).toMatchObject({ status: 400, location: '' })
    env.clock.advance(10_001)
    const again = await browser.submit(page, USER1)
    expect(again).toMatchObject({ status: 400, location: '' })
    expect(again.text).toContain('This page is no longer needed')
    expect(again.body).toContain('<a id="way-on" href="https://rp.localhost/">')
  })

  it('issues one code for a request that is continued several times', async () => {
    const browser = env.newBrowser()
    // A page that sends a form is not the response to another form, to which the browser would lead back.
    const page = await env.authorize(browser, { response_mode: 'form_post' })
    const signedIn = await browser.submit(page, USER1)
    expect(signedIn.location).toMatch(/^\/oauth\/v2\/authorize\?continue=/)
    const opened = await Promise.all(Array.from({ length: 10 }, () => browser.get(signedIn.location)))
    const answered = opened.filter(({ body }) => body.includes('name="code"'))
    expect(answered).toHaveLength(1)
    for (const view of opened.filter((other) => !answered.includes(other))) {
      expect(view).toMatchObject({ status: 400, location: '' })
    }
  })

  it('accepts a form that is submitted twice', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const [, second] = [await browser.submit(page, USER1), await browser.submit(page, USER1)]
    expect(second.location).toContain('code=')
    const both = await Promise.all([browser.submit(page, USER1), browser.submit(page, USER1)])
    for (const { location } of both) expect(location).toContain('code=')
    expect(await browser.submit(page, { ...USER1, password: 'wrong' })).toMatchObject({
      status: 400,
      location: '',
    })
  })

  it('accepts a form again for ten seconds after its first response, not after its last', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    for (const late of [0, 6_000]) {
      env.clock.advance(late)
      expect((await browser.submit(page, USER1)).location).toContain('code=')
    }
    env.clock.advance(6_000)
    expect(await browser.submit(page, USER1)).toMatchObject({ status: 400, location: '' })
  })
})

describe('an expired pending request', () => {
  it('shows an explanation', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    await env.redis.flushdb()
    const answer = await browser.submit(page, USER1)
    expectRejected(answer)
    expect(answer.text).toContain('expired')
    expectRejected(await browser.get('/ui/login'))
  })

  it('expires after 30 minutes in Redis', async () => {
    await env.authorize(env.newBrowser())
    const [key = ''] = await env.redis.keys('signet:login:authorization:*')
    const ttl = await env.redis.ttl(key)
    expect(ttl).toBeGreaterThan(1700)
    expect(ttl).toBeLessThanOrEqual(1800)
  })
})

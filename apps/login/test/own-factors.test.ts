import { hiddenFields } from '@signet/platform/load/http-browser'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** A redirect to the sign-in that returns to an account page. */
const toSignIn = (path: string) => {
  const page = encodeURIComponent(path.split('?')[0] ?? '')
  return expect.stringMatching(`^/oauth/v2/authorize[?]client_id=%3Aaccount&redirect_uri=[^&]*${page}&`)
}

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(async () => {
  await env.redis.flushdb()
  for (const known of [
    'forced',
    'passkeys',
    'totpCodes',
    'enrolled',
    'recoveryCodes',
    'stopped',
    'trustKeys',
    'trustedBrowsers',
  ] as const) {
    env.fakes[known].clear()
  }
})
afterAll(() => env.stop())

let codes = 200_000
function newCode(): string {
  codes += 1
  env.fakes.totpCodes.add(String(codes))
  return String(codes)
}

const enter = async (browser: TestBrowser, page: PageView, loginName: string) =>
  browser.follow(await browser.submit(page, { login_name: loginName, password: PASSWORD }))

/** The page after a right password. */
const afterPassword = async (browser: TestBrowser, loginName = 'totpuser', parameters = {}) =>
  enter(browser, await env.authorize(browser, { prompt: 'login', ...parameters }), loginName)

const prove = async (browser: TestBrowser, page: PageView, fields: Record<string, string>) =>
  browser.follow(await browser.submit(page, fields))

const lastSession = () => env.fakes.codeRequests.at(-1)?.session

describe('a factor that no longer counts', () => {
  const forced = async (browser: TestBrowser) => {
    env.fakes.forced.add('acme')
    env.fakes.stopped.add('user1')
    return afterPassword(browser, 'user1')
  }

  it('does not let the password add another one', async () => {
    const browser = env.newBrowser()
    const page = await forced(browser)
    expect(page.text).toContain('Ask an administrator')
    expect(page.body).not.toContain('id="totp-code"')
    const { request = '' } = hiddenFields(page)
    const enrolment = await browser.get(
      `/ui/totp/new?request=${/request=([\w-]+)/.exec(page.body)?.[1] ?? request}`,
    )
    expect(enrolment.body).not.toContain('enrolment-secret')
  })

  it('is replaced after a recovery code', async () => {
    env.fakes.recoveryCodes.set('user1', new Set(['aaaa-bbbb']))
    const browser = env.newBrowser()
    const page = await forced(browser)
    expect(page.text).toContain('you then add a new factor')
    const enrolment = await prove(browser, page, { code: 'aaaa-bbbb' })
    expect(enrolment.body).toContain('enrolment-secret')
    const done = await browser.submit(enrolment, { code: newCode() })
    expect(done.text).toContain('they are not shown again')
    expect(env.fakes.enrolled.has('user1')).toBe(true)
  })

  it('does not let the password confirm a change where no policy forces a factor', async () => {
    env.fakes.stopped.add('user1')
    const browser = env.newBrowser()
    await afterPassword(browser, 'user1')
    const list = await browser.get('/ui/account/factors')
    expect(list.body).not.toContain('totp-add')
    const { request = '' } = hiddenFields(list)
    const confirm = await browser.get(`/ui/passkeys/confirm?account=${request}&for=factors`)
    expect(confirm.body).toContain('id="confirm-stopped"')
    expect(confirm.body).not.toContain('id="confirm-password"')
  })
})

describe('a recovery code [F-34]', () => {
  it('stands in for the code of an authenticator, once', async () => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa-bbbb']))
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    expect(page.body).toContain('<summary id="recovery-show">Use a recovery code instead</summary>')
    expect((await prove(browser, page, { code: 'aaaa-bbbb' })).location).toContain('code=')
    expect(lastSession()).toMatchObject({ userId: 'totpuser', amr: ['pwd', 'otp', 'mfa'] })
    const other = env.newBrowser()
    const next = await afterPassword(other)
    expect(next.body).not.toContain('recovery-code')
    const refused = await prove(other, next, { code: 'aaaa-bbbb' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('The recovery code is not')])
  })

  it('stands in for a passkey after a password', async () => {
    env.fakes.forced.add('acme')
    env.fakes.passkeys.set('user1', ['AAAA'])
    env.fakes.recoveryCodes.set('user1', new Set(['aaaa-bbbb']))
    const browser = env.newBrowser()
    const page = await afterPassword(browser, 'user1')
    expect(page.body).not.toContain('id="totp-code"')
    const hidden = hiddenFields(page)
    const answer = await browser.follow(await browser.post('/ui/totp', { ...hidden, code: 'aaaa-bbbb' }))
    expect(answer.location).toContain('code=')
  })

  it('has the same limit as codes of authenticators [F-33]', async () => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa-bbbb']))
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    for (const wrong of ['000000', 'zzzz', '000001', 'zzzz-zzzz', '000002']) {
      expect((await browser.submit(page, { code: wrong })).status).toBe(400)
    }
    for (const right of ['aaaa-bbbb', newCode()]) {
      expect((await browser.submit(page, { code: right })).status).toBe(429)
    }
    expect(env.fakes.totpTries.at(-1)?.throttled).toBe(true)
    expect(env.fakes.recoveryCodes.get('totpuser')).toHaveLength(1)
  })
})

describe('a trusted browser', () => {
  /** A browser that signed in with a code and asked not to be asked again; it has no session any more. */
  async function trustedBrowser(loginName = 'totpuser', parameters = {}): Promise<TestBrowser> {
    const browser = env.newBrowser()
    const page = await afterPassword(browser, loginName, parameters)
    expect(page.body).toContain('id="totp-trust"')
    await prove(browser, page, { code: newCode(), trust: 'yes' })
    expect(browser.cookies.has('signet.trust')).toBe(true)
    browser.cookies.delete('signet.session')
    return browser
  }
  const isAsked = async (browser: TestBrowser, parameters = {}, loginName = 'totpuser') =>
    (await afterPassword(browser, loginName, parameters)).body.includes('id="totp-code"')

  it('is asked for the password only, for 30 days, and has one factor', async () => {
    const browser = await trustedBrowser()
    env.clock.advance(30 * DAY_MS - MINUTE_MS)
    expect(await isAsked(browser)).toBe(false)
    expect(lastSession()).toMatchObject({ userId: 'totpuser', amr: ['pwd'] })
    env.clock.advance(MINUTE_MS)
    expect(await isAsked(browser)).toBe(true)
  })

  it('says for how long, and is one only where the user asked for it', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    expect(page.text).toContain('Do not ask for a second factor in this browser for 30 days')
    await prove(browser, page, { code: newCode() })
    expect(browser.cookies.has('signet.trust')).toBe(false)
    expect(env.fakes.trustKeys.size).toBe(0)
  })

  it('is not one after a recovery code', async () => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa-bbbb']))
    const browser = env.newBrowser()
    await prove(browser, await afterPassword(browser), { code: 'aaaa-bbbb', trust: 'yes' })
    expect(browser.cookies.has('signet.trust')).toBe(false)
  })

  it('trusts neither other browsers nor other accounts, nor a changed cookie', async () => {
    env.fakes.enrolled.add('user2')
    env.fakes.trustKeys.set('user2', 'trust of user2')
    const browser = await trustedBrowser()
    expect(await isAsked(env.newBrowser())).toBe(true)
    expect(await isAsked(browser, {}, 'user2')).toBe(true)
    const cookie = browser.cookies.get('signet.trust') ?? ''
    const [id = '', until = '', mac = ''] = cookie.split('.')
    const later = String(Number(until) + 1)
    for (const forged of [`${id}.${later}.${mac}`, `${id}.${until}.${'A'.repeat(43)}`, 'x', '']) {
      browser.cookies.set('signet.trust', forged)
      expect(await isAsked(browser)).toBe(true)
    }
    browser.cookies.set('signet.trust', cookie)
    expect(await isAsked(browser)).toBe(false)
  })

  it('is asked again when the key of the directory changes', async () => {
    const browser = await trustedBrowser()
    env.fakes.trustKeys.set('totpuser', 'another key')
    expect(await isAsked(browser)).toBe(true)
    env.fakes.trustKeys.delete('totpuser')
    expect(await isAsked(browser)).toBe(true)
  })

  it('is asked when the request demands a second factor', async () => {
    const browser = await trustedBrowser()
    expect(await isAsked(browser, { acr_values: 'urn:service:acr:mfa' })).toBe(true)
  })

  it('is asked before it changes factors', async () => {
    const browser = await trustedBrowser()
    expect(await isAsked(browser)).toBe(false)
    const page = await browser.get('/ui/account/factors')
    expect(page.body).toContain('class="confirm"')
    expect(page.body).not.toContain('totp-delete')
  })

  describe('of an organization that demands a second factor', () => {
    async function withPolicy(document: object, work: () => Promise<void>): Promise<void> {
      const clear = "DELETE FROM directory.organization_policy WHERE organization_id = 'globex'"
      const set = `INSERT INTO directory.organization_policy VALUES ('globex', 'login', '${JSON.stringify(document)}')`
      env.fakes.enrolled.add('globex1')
      await asOwner(env.adminUrl, [clear, set])
      try {
        await work()
      } finally {
        await asOwner(env.adminUrl, [clear])
      }
    }
    const page = () => afterPassword(env.newBrowser(), 'globex1')

    it('is trusted for the lifetime of a second factor, in requests and sessions', async () => {
      await withPolicy({ forceMfa: true, secondFactorCheckLifetime: '7200s' }, async () => {
        await expect.poll(async () => (await page()).text).toContain('in this browser for 2 hours')
        const browser = await trustedBrowser('globex1')
        env.clock.advance(60 * MINUTE_MS)
        expect(await isAsked(browser, {}, 'globex1')).toBe(false)
        expect(lastSession()).toMatchObject({ amr: ['pwd'] })
        const silent = async () => (await env.authorize(browser, { prompt: 'none' })).location
        expect(await silent()).toContain('code=')
        env.clock.advance(60 * MINUTE_MS + 1)
        expect(await silent()).toContain('error=interaction_required')
        expect((await env.authorize(browser)).body).toContain('id="totp-code"')
        browser.cookies.delete('signet.session')
        expect(await isAsked(browser, {}, 'globex1')).toBe(true)
      })
    })

    it.each([{}, { secondFactorCheckLifetime: '0s' }])('is none with %j', async (lifetimes) => {
      const browser = await trustedBrowser('totpuser')
      env.fakes.enrolled.add('globex1')
      env.fakes.trustKeys.set('globex1', env.fakes.trustKeys.get('totpuser') ?? '')
      await withPolicy({ forceMfa: true, ...lifetimes }, async () => {
        await expect.poll(async () => (await page()).body).not.toContain('totp-trust')
        expect(await isAsked(browser, {}, 'globex1')).toBe(true)
        // The page does not offer it, and a form that asks for it gets nothing.
        const other = env.newBrowser()
        const asked = await afterPassword(other, 'globex1')
        await prove(other, asked, { code: newCode(), trust: 'yes' })
        expect(other.cookies.has('signet.trust')).toBe(false)
      })
    })
  })
})

describe('the list of trusted browsers', () => {
  async function trust(): Promise<TestBrowser> {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    await prove(browser, page, { code: newCode(), trust: 'yes' })
    return browser
  }

  it('marks the browser that asks, and ends the trust in another one alone', async () => {
    const [one, other] = [await trust(), await trust()]
    const page = await one.get('/ui/account/factors')
    expect(page.text.match(/An unknown browser/g)?.length).toBeGreaterThanOrEqual(2)
    expect(page.text.match(/this device|This device/g)).toHaveLength(1)
    const [ids] = [[...env.fakes.trustedBrowsers.keys()]]
    const own = one.cookies.get('signet.trust')?.split('.')[0]
    const trusted = ids.find((id) => id !== own) ?? ''
    await one.submit(page, { trusted })
    expect([...env.fakes.trustedBrowsers.keys()]).toEqual([own])
    expect((await afterPassword(other)).body).toContain('id="totp-trust"')
    expect((await afterPassword(one)).body).not.toContain('id="totp-trust"')
  })
})

it('signs in with a directory of the previous version, without trust and without recovery codes', async () => {
  env.fakes.previousVersion.add('directory')
  try {
    const browser = env.newBrowser()
    const answer = await prove(browser, await afterPassword(browser), { code: newCode(), trust: 'yes' })
    expect([answer.location.includes('code='), browser.cookies.has('signet.trust')]).toEqual([true, false])
    env.fakes.forced.add('acme')
    const other = env.newBrowser()
    const enrolled = await prove(other, await afterPassword(other, 'user1'), { code: newCode() })
    expect(enrolled.location).toContain('code=')
  } finally {
    env.fakes.previousVersion.clear()
  }
})

describe('the page of the own second factors', () => {
  async function signedIn(loginName = 'user1'): Promise<TestBrowser> {
    const browser = env.newBrowser()
    const page = await afterPassword(browser, loginName)
    if (loginName === 'totpuser') await prove(browser, page, { code: newCode() })
    return browser
  }
  const open = (browser: TestBrowser) => browser.get('/ui/account/factors')
  async function change(browser: TestBrowser, name: string) {
    const { request = '', csrf = '' } = hiddenFields(await open(browser))
    return browser.post('/ui/account/factors', { request, csrf, change: name, confirmed: 'yes' })
  }
  async function newTotp(browser: TestBrowser) {
    const [, path = ''] = /id="account-1-totp-add" href="([^"]+)"/.exec((await open(browser)).body) ?? []
    return browser.get(path)
  }
  const secretOn = ({ body }: PageView) => /<code id="enrolment-secret"[^>]*>([^<]*)</.exec(body)?.[1]

  it('leads a browser without a session to the sign-in', async () => {
    for (const path of ['/ui/account/factors', '/ui/account/factors/totp?account=x']) {
      const page = await env.newBrowser().get(path)
      expect(page).toMatchObject({ status: 303, location: toSignIn(path) })
    }
  })

  it('adds an authenticator after its first right code, and shows recovery codes once', async () => {
    const browser = await signedIn()
    expect((await open(browser)).text).toContain('This account has no authenticator app.')
    const page = await newTotp(browser)
    expect(page.body).toContain('<svg id="enrolment-qr"')
    expect(page.headers['cache-control']).toBe('no-store')
    const refused = await browser.submit(page, { code: '000000' })
    expect([refused.status, secretOn(refused)]).toEqual([400, secretOn(page)])
    expect(env.fakes.enrolled.has('user1')).toBe(false)
    const done = await browser.submit(refused, { code: newCode() })
    expect(env.fakes.enrolled.has('user1')).toBe(true)
    const shown = [...done.body.matchAll(/<li><code[^>]*>([^<]*)</g)].map(([, code = '']) => code)
    expect(new Set(shown)).toEqual(env.fakes.recoveryCodes.get('user1'))
    const list = await open(browser)
    expect(list.text).toContain('10 unused recovery codes are left.')
    for (const code of shown) expect(list.body).not.toContain(code)
  })

  it('keeps the recovery codes of a person who adds an authenticator beside a passkey', async () => {
    env.fakes.recoveryCodes.set('user1', new Set(['aaaa-bbbb']))
    const browser = await signedIn()
    const done = await browser.submit(await newTotp(browser), { code: newCode() })
    expect(done.location).toBe('/ui/account/factors')
    expect(env.fakes.recoveryCodes.get('user1')).toEqual(new Set(['aaaa-bbbb']))
  })

  it('delays codes after five failures [F-33]', async () => {
    const browser = await signedIn()
    const page = await newTotp(browser)
    for (let failure = 0; failure < 5; failure += 1) await browser.submit(page, { code: '000000' })
    const refused = await browser.submit(page, { code: newCode() })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(env.fakes.enrolled.has('user1')).toBe(false)
  })

  it('removes the authenticator, makes codes and ends trust', async () => {
    const browser = await signedIn('totpuser')
    env.fakes.trustKeys.set('totpuser', 'key')
    const [first, second] = [await change(browser, 'codes'), await change(browser, 'codes')]
    expect(first.text).toContain('they are not shown again')
    expect(second.body).not.toBe(first.body)
    expect((await change(browser, 'trust-end')).location).toBe('/ui/account/factors')
    expect(env.fakes.trustKeys.size).toBe(0)
    expect((await change(browser, 'totp-delete')).status).toBe(200)
    expect(env.fakes.recoveryCodes.has('totpuser')).toBe(false)
  })

  it('asks before it removes an authenticator or replaces codes', async () => {
    const browser = await signedIn('totpuser')
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa-bbbb']))
    const list = await open(browser)
    for (const name of ['codes', 'totp-delete']) {
      expect(list.body).toContain(`<button class="danger" id="account-1-${name}"`)
      const { request = '', csrf = '' } = hiddenFields(list)
      const asked = await browser.post('/ui/account/factors', { request, csrf, change: name })
      expect(asked.body).toContain('<button class="danger" id="removal-submit"')
      expect(env.fakes.recoveryCodes.get('totpuser')).toEqual(new Set(['aaaa-bbbb']))
    }
  })

  it('ends the sessions that rest on what it removes', async () => {
    const thief = await signedIn('totpuser')
    const browser = await signedIn('totpuser')
    const done = await change(browser, 'totp-delete')
    expect(done.text).toContain('so this session has ended')
    expect([(await open(thief)).location, (await open(browser)).location]).toEqual([
      toSignIn('/ui/account/factors'),
      toSignIn('/ui/account/factors'),
    ])
  })

  it('changes nothing after ten minutes, until the user confirms with a code or a recovery code', async () => {
    const browser = await signedIn('totpuser')
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa-bbbb']))
    env.clock.advance(10 * MINUTE_MS + 1)
    const codesBefore = env.fakes.recoveryCodes.get('totpuser')
    for (const name of ['codes', 'totp-delete']) {
      expect((await change(browser, name)).location).toMatch(
        /^\/ui\/passkeys\/confirm\?account=.+&for=factors$/,
      )
    }
    expect(env.fakes.recoveryCodes.get('totpuser')).toBe(codesBefore)
    const { request = '' } = hiddenFields(await open(browser))
    const unconfirmed = await browser.get(`/ui/account/factors/totp?account=${request}`)
    expect(unconfirmed.location).toContain('/ui/passkeys/confirm?account=')
    const confirm = await browser.follow(await change(browser, 'codes'))
    expect(confirm.text).toContain('or a recovery code')
    expect((await browser.submit(confirm, { password: PASSWORD, code: 'zzzz' })).status).toBe(400)
    const confirmed = await browser.submit(confirm, { password: PASSWORD, code: 'aaaa-bbbb' })
    expect(confirmed.location).toBe('/ui/account/factors')
    expect((await change(browser, 'codes')).status).toBe(200)
  })

  it('confirms a lost passkey with the password and a recovery code', async () => {
    env.fakes.passkeys.set('user1', ['AAAA'])
    env.fakes.recoveryCodes.set('user1', new Set(['aaaa-bbbb']))
    const browser = await signedIn()
    const [, path = ''] = /class="confirm" href="([^"]+)"/.exec((await open(browser)).body) ?? []
    const confirm = await browser.get(path.replaceAll('&amp;', '&'))
    expect((await browser.submit(confirm, { password: PASSWORD, code: '' })).status).toBe(400)
    expect((await browser.submit(confirm, { password: PASSWORD, code: 'aaaa-bbbb' })).status).toBe(303)
    expect((await open(browser)).body).toContain('account-1-totp-add')
  })

  it('refuses forms of other browsers, and other accounts', async () => {
    const browser = await signedIn()
    const { request = '', csrf = '' } = hiddenFields(await open(browser))
    const thief = await signedIn('user2')
    const post = (from: TestBrowser, form: Record<string, string>) => from.post('/ui/account/factors', form)
    expect((await post(thief, { request, csrf, change: 'codes' })).status).toBe(400)
    expect((await post(browser, { request, csrf: 'x', change: 'codes' })).status).toBe(400)
    expect((await post(browser, { request, csrf, change: '__proto__' })).status).toBe(400)
    const seen = await thief.get(`/ui/account/factors/totp?account=${request}`)
    expect([seen.status, secretOn(seen)]).toEqual([400, undefined])
  })
})

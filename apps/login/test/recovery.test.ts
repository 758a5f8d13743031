import { RpcError } from '@signet/grpc/error'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { rpcService } from '@signet/grpc/service'
import { textDirection, UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { fontSample } from '@signet/testing/branding-samples'
import { size } from '@signet/testing/sizes'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { accessibilityProblems, openPage, widthOf } from './chromium.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

const TOKEN = 'a'.repeat(43)
const CODE = 'ABCD-EFGH-JKMN'

const LINKED = {
  organizationId: 'acme',
  userId: 'user1',
  loginName: 'user1@acme.example',
  organizationName: 'Acme',
  askedBy: 'administrator',
  application: 'Shop',
}

let env: TestEnvironment
let chrome: Browser
let page: Page
const requests: { loginName: string; organizationId: string; language: string }[] = []
const spent: string[] = []
const notified: string[] = []
let isNoticeRefused = false
let isThrottled = false
let isPasswordAllowed = true

beforeAll(async () => {
  env = await startTestEnvironment({
    directoryServices: [
      rpcService(RecoveryService, {
        async requestPasswordReset({ loginName, organizationId, language }) {
          requests.push({ loginName, organizationId, language })
          return { throttled: isThrottled }
        },
        async checkMailToken({ token, ofLink }) {
          if (ofLink && token?.secret === CODE) return { refused: 'invalid' }
          if (!isPasswordAllowed && token?.purpose !== 'email_verification')
            return { refused: 'password_sign_in_not_allowed' }
          const isValid = [TOKEN, CODE].includes(token?.secret ?? '') && !spent.includes(token?.purpose ?? '')
          return isValid ? { ...LINKED, passwordAllowed: isPasswordAllowed } : { refused: 'invalid' }
        },
        async setPassword({ token, password }) {
          const purpose = token?.purpose ?? ''
          if (spent.includes(purpose)) return { refused: 'invalid' }
          if (password.length < 8) return { problems: ['password_too_short'] }
          spent.push(purpose)
          return { organizationId: LINKED.organizationId }
        },
        async verifyEmail({ token, userId }) {
          if (![TOKEN, CODE].includes(token?.secret ?? '') || token === undefined || userId !== LINKED.userId)
            return { refused: 'invalid' }
          if (spent.includes(token.purpose)) return { refused: 'invalid' }
          spent.push(token.purpose)
          return {}
        },
        async notifyNewSignIn({ userId }) {
          notified.push(userId)
          if (isNoticeRefused) throw new RpcError('INTERNAL', 'the outbox is broken')
          return {}
        },
      }),
    ],
  })
  await asOwner(env.adminUrl, ['UPDATE directory.setting SET sends_mail = true'])
  chrome = await chromium.launch({ executablePath: inject('chromiumPath'), args: ['--no-sandbox'] })
})
afterAll(async () => {
  await chrome?.close()
  await env?.stop()
})
beforeEach(async () => {
  requests.splice(0)
  spent.splice(0)
  isThrottled = false
  isPasswordAllowed = true
  const context = await chrome.newContext({ javaScriptEnabled: false, locale: 'en' })
  page = await context.newPage()
  return () => context.close()
})

describe('the branding of pages of messages', () => {
  const NEW_PASSWORD = { password: 'long enough to be one' }
  const isBranded = ({ body }: { readonly body: string }) => /href="\/ui\/assets\/branding/.test(body)
  beforeAll(() =>
    asOwner(env.adminUrl, [
      `INSERT INTO directory.organization_policy VALUES ('acme', 'label', '{"primaryColor":"#0b6e4f"}')`,
      `INSERT INTO directory.branding_file (organization_id, kind, media_type, content)
       VALUES ('acme', 'font', 'font/woff2', '\\x${fontSample().toString('hex')}')`,
    ]),
  )
  afterAll(() =>
    asOwner(env.adminUrl, [
      `DELETE FROM directory.organization_policy WHERE organization_id = 'acme' AND kind = 'label'`,
      `DELETE FROM directory.branding_file WHERE organization_id = 'acme'`,
    ]),
  )

  it.each(['/ui/password/reset', '/ui/invitation', '/ui/email/verify'])(
    'is that of the organization of the person at a valid link of %s, without its font, and no other',
    async (path) => {
      const browser = env.newBrowser()
      const valid = await browser.get(`${path}?token=${TOKEN}`)
      expect([valid.status, isBranded(valid)]).toEqual([200, true])
      expect(valid.headers['content-security-policy']).not.toContain('font-src')
      const refused = await browser.submit(valid, { password: 'short' })
      expect([refused.status, isBranded(refused)]).toEqual([400, true])
      const done = await browser.submit(valid, NEW_PASSWORD)
      expect([done.body.includes('id="done"'), isBranded(done)]).toEqual([true, true])
      const again = await browser.submit(valid, NEW_PASSWORD)
      for (const page of [again, await browser.get(`${path}?token=${TOKEN}`)])
        expect([page.status, isBranded(page)]).toEqual([400, false])
      const unknown = await browser.get(`${path}?token=${'b'.repeat(43)}`)
      expect([unknown.status, isBranded(unknown)]).toEqual([400, false])
    },
  )

  it('is that of the organization where the person is signed in and confirms the address', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    const shown = await browser.get(`/ui/email/verify?token=${TOKEN}`)
    const done = await browser.submit(shown, {})
    expect([isBranded(shown), done.body.includes('id="done"'), isBranded(done)]).toEqual([true, true, true])
  })

  it('is that of Signet at a link that the login policy refuses', async () => {
    isPasswordAllowed = false
    const page = await env.newBrowser().get(`/ui/password/reset?token=${TOKEN}`)
    expect([page.status, isBranded(page)]).toEqual([403, false])
  })
})

const at = (path: string) => `http://localhost:${env.port}${path}`

describe('a forgotten password, without JavaScript', () => {
  it('asks for a message and shows the same page for every name [F-32]', async () => {
    const texts = []
    for (const name of ['user1', 'nobody']) {
      await page.goto(at('/ui/password/forgot'))
      await page.fill('#login-name', name)
      await page.click('#forgot-submit')
      texts.push(await page.textContent('main'))
    }
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('Check your e-mail')
    expect(requests).toEqual([
      { loginName: 'user1', organizationId: '', language: 'en' },
      { loginName: 'nobody', organizationId: '', language: 'en' },
    ])
  })

  it('says when a network asked too often', async () => {
    isThrottled = true
    await page.goto(at('/ui/password/forgot'))
    await page.fill('#login-name', 'user1')
    await page.click('#forgot-submit')
    expect(await page.textContent('#forgot-problem')).toContain('Try again in an hour')
  })

  it('accepts the code, then asks for the password', async () => {
    await page.goto(at('/ui/password/forgot'))
    await page.fill('#login-name', 'user1')
    await page.click('#forgot-submit')
    await page.fill('#code', CODE)
    await page.click('#code-submit')
    await page.fill('#new-password', 'short')
    await page.click('#new-password-submit')
    expect(await page.textContent('#new-password-problem')).toContain('too short')
    await page.fill('#new-password', 'long enough to be one')
    await page.click('#new-password-submit')
    expect(await page.textContent('#done')).toContain('Your password is set')
  })

  it('spends a link by the form only', async () => {
    for (let turn = 0; turn < 3; turn += 1) await page.goto(at(`/ui/password/reset?token=${TOKEN}`))
    expect(spent).toEqual([])
    await page.fill('#new-password', 'long enough to be one')
    await page.click('#new-password-submit')
    expect(spent).toEqual(['password_reset'])
    await page.goto(at(`/ui/password/reset?token=${TOKEN}`))
    expect(await page.textContent('#link-problem')).toContain('has expired, was used already')
  })
})

/**
 * Submits the sign-in, and returns where its redirects leave the service: the issuer has another port in these tests. Does not
 * wait for a response of the issuer. A new page of the same browser goes on.
 */
async function submitToIssuer(path: string): Promise<URL> {
  const returned = page.waitForRequest((request) => request.url().startsWith(`http://localhost:8080${path}`))
  await page.click('#login-submit', { noWaitAfter: true })
  const address = new URL((await returned).url())
  const context = page.context()
  await page.close()
  page = await context.newPage()
  return address
}

describe('the other links', () => {
  it.each(['/ui/password/reset', '/ui/invitation'])(
    'ask the directory to refuse a code in the link of %s',
    async (path) => {
      await page.goto(at(`${path}?token=${CODE}`))
      expect(await page.textContent('#link-problem')).toContain('has expired')
    },
  )

  it('let an invited person choose the first password', async () => {
    await page.goto(at(`/ui/invitation?token=${TOKEN}`))
    await page.fill('#new-password', 'long enough to be one')
    await page.click('#new-password-submit')
    expect(spent).toEqual(['invitation'])
  })

  it('say that the organization forbids passwords', async () => {
    isPasswordAllowed = false
    const response = await page.goto(at(`/ui/invitation?token=${TOKEN}`))
    expect(response?.status()).toBe(403)
    expect(await page.textContent('#link-problem')).toContain('does not let people sign in with passwords')
    expect(await page.locator('#new-password').count()).toBe(0)
  })

  it.each(['/ui/password/reset', '/ui/invitation', '/ui/email/verify'])(
    'name the account, the organization, the application and who asked: %s',
    async (path) => {
      await page.goto(at(`${path}?token=${TOKEN}`))
      const facts = await page.textContent('#link-account')
      for (const fact of ['user1@acme.example', 'Acme', 'Shop', 'by an administrator']) {
        expect(facts).toContain(fact)
      }
    },
  )

  it('confirm no address without a session of its account', async () => {
    await page.goto(at(`/ui/email/verify?token=${TOKEN}`))
    expect(await page.locator('#verify-submit').count()).toBe(0)
    await page.goto(at('/ui/email/verify'))
    await page.fill('#code', TOKEN)
    await page.click('#verify-submit')
    expect(await page.locator('#verify-sign-in').count()).toBe(1)
    expect(spent).toEqual([])
  })

  it('confirm an address after the sign-in to which the page leads, by the form only', async () => {
    await page.goto(at(`/ui/email/verify?token=${TOKEN}`))
    await page.click('#verify-sign-in')
    expect(await page.inputValue('#login-name')).toBe('user1@acme.example')
    await page.fill('#login-name', 'user1')
    await page.fill('#password', PASSWORD)
    const { pathname, search } = await submitToIssuer('/ui/email/verify')
    await page.goto(at(pathname + search))
    expect(spent).toEqual([])
    await page.click('#verify-submit')
    expect(await page.textContent('#done')).toContain('is confirmed')
    await page.goto(at(`/ui/email/verify?token=${TOKEN}`))
    expect(await page.textContent('#link-problem')).toContain('was used already')
  })

  it('confirm no address for another account of the browser [fault.link-of-another-account]', async () => {
    await page.goto(at('/ui/account'))
    await page.fill('#login-name', 'user2')
    await page.fill('#password', PASSWORD)
    await submitToIssuer('/ui/account')
    await page.goto(at(`/ui/email/verify?token=${TOKEN}`))
    expect(await page.locator('#verify-submit').count()).toBe(0)
    expect(await page.locator('#verify-sign-in').count()).toBe(1)
  })

  it('let the owner of an address replace the password that another person chose', async () => {
    await page.goto(at('/ui/email/verify'))
    await page.fill('#code', CODE)
    await page.click('#verify-submit')
    await page.click('#verify-new-password summary')
    expect(await page.textContent('#verify-new-password')).toContain('sessions that the account has now end')
    await page.fill('#new-password', 'short')
    await page.click('#new-password-submit')
    expect(await page.textContent('#new-password-problem')).toContain('too short')
    await page.fill('#new-password', 'long enough to be one')
    await page.click('#new-password-submit')
    expect(await page.textContent('#done')).toContain('Your password is set')
    expect(spent).toEqual(['email_verification'])
  })

  it.each(['/ui/password/reset', '/ui/invitation', '/ui/email/verify'])(
    'tell password managers the login name: %s',
    async (path) => {
      await page.goto(at(`${path}?token=${TOKEN}`))
      const field = page.locator('form:has(#new-password) input[autocomplete="username"]')
      expect(await field.getAttribute('value')).toBe('user1@acme.example')
      expect(await field.isVisible()).toBe(false)
    },
  )
})

it('offers the reset on the sign-in page where messages can be sent, and leads back', async () => {
  const browser = env.newBrowser()
  const signIn = await env.authorize(browser)
  const [, path = ''] = /id="login-forgot" href="([^"]+)"/.exec(signIn.body) ?? []
  const forgot = await browser.get(path.replaceAll('&amp;', '&'))
  expect(forgot.body).toMatch(/id="back" href="\/ui\/login\?request=/)
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization_policy (organization_id, kind, document)
     VALUES ('acme', 'login', '{"hidePasswordReset": true, "allowRegister": true}')`,
    `UPDATE directory.setting SET default_organization_id = 'acme'`,
  ])
  const shown = async () => (await env.authorize(env.newBrowser())).body
  await expect.poll(shown, { interval: 200 }).not.toContain('login-forgot')
})

it.each([
  '/ui/password/forgot',
  `/ui/password/reset?token=${TOKEN}`,
  '/ui/email/verify',
  `/ui/email/verify?token=${TOKEN}`,
  `/ui/invitation?token=${TOKEN}`,
])('passes axe and fits 320 px in each language: %s', async (path) => {
  // axe-core takes most of the time: in a language from each direction, unless all are asked for.
  const checked = UI_LOCALES.filter(
    (locale) => size('pageLanguages') > 1 || locale === 'en' || textDirection(locale) === 'rtl',
  )
  expect(checked.length).toBeGreaterThan(1)
  for (const locale of UI_LOCALES) {
    const { page: shown } = await openPage(chrome, { locale })
    await shown.goto(at(path))
    expect(await shown.getAttribute('html', 'lang')).toBe(locale)
    if (checked.includes(locale)) expect(await accessibilityProblems(shown), locale).toEqual([])
    await shown.setViewportSize({ width: 320, height: 600 })
    expect(await widthOf(shown), locale).toBeLessThanOrEqual(320)
    await shown.context().close()
  }
})

describe('the notice of a new sign-in', () => {
  const user1 = { login_name: 'user1', password: PASSWORD }

  it('is requested once for a browser that is new to the account, after the right password only', async () => {
    const browser = env.newBrowser()
    notified.splice(0)
    await browser.submit(await env.authorize(browser), { ...user1, password: 'wrong' })
    expect(notified).toEqual([])
    await browser.submit(await env.authorize(browser), user1)
    await browser.submit(await env.authorize(browser, { prompt: 'login' }), user1)
    expect(notified).toEqual(['user1'])
    const other = env.newBrowser()
    await other.submit(await env.authorize(other), user1)
    expect(notified).toEqual(['user1', 'user1'])
  })

  it('is not requested again where the directory announced it with the sign-in', async () => {
    env.fakes.announces = true
    notified.splice(0)
    const browser = env.newBrowser()
    expect((await browser.submit(await env.authorize(browser), user1)).location).toContain('code=')
    env.fakes.announces = false
    expect(notified).toEqual([])
  })

  it('that cannot be requested does not keep the person from signing in', async () => {
    isNoticeRefused = true
    const browser = env.newBrowser()
    const after = await browser.submit(await env.authorize(browser), user1)
    isNoticeRefused = false
    expect(after).toMatchObject({ status: 303 })
    expect([...browser.cookies.keys()]).toContain('signet.session')
  })
})

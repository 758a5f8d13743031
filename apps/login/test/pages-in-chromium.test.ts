import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage, type RelyingParty, startChromiumTests } from './chromium.ts'
import { PASSWORD } from './fake-services.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, type TestEnvironment } from './setup.ts'
import { ldapProvider } from './upstream-pages.ts'

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests())
  await asOwner(env.adminUrl, [ldapProvider('ldap', 'globex', 'Company')])
})
afterAll(() => stop?.())

const origin = () => `http://localhost:${env.port}`

function authorizeUrl(parameters: Record<string, string> = {}): string {
  const request = {
    client_id: 'native',
    redirect_uri: application.callback,
    response_type: 'code',
    scope: 'openid',
    state: 'st',
    ...parameters,
  }
  return `${origin()}/oauth/v2/authorize?${new URLSearchParams(request)}`
}

const open = (options?: BrowserContextOptions) => openPage(chrome, options)

/** Opens a request in each tab. No tab follows its redirect before all responses have been received. */
async function openTogether(context: BrowserContext, tabs: readonly Page[]): Promise<void> {
  let waiting = tabs.length
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>()
  await context.route('**/oauth/v2/authorize?*', async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 })
    waiting -= 1
    if (waiting === 0) resolve()
    await allAnswered
    await route.fulfill({ response: answer })
  })
  await Promise.all(
    tabs.map((tab, index) => tab.goto(authorizeUrl({ state: `tab-${index}`, prompt: 'login' }))),
  )
  await context.unroute('**/oauth/v2/authorize?*')
}

async function signIn(page: Page, loginName = 'user1'): Promise<void> {
  await page.fill('#login-name', loginName)
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
  await page.waitForSelector('#app')
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it('signs in to an application of another origin that redirects to a third origin [F-15]', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    expect(await page.textContent('body')).toContain('Sign in')
    await signIn(page)
    expect(application.answers.at(-1)?.parameters).toMatchObject({ state: 'st', iss: env.issuer })
    expect(complaints).toEqual([])
  })

  it('signs in with a password that a directory verifies, after a wrong one', async () => {
    env.upstream.passwords.set('alice of-the-directory', asserted('alice'))
    env.upstream.links.set('alice', 'globex1')
    const { page, complaints } = await open({ javaScriptEnabled, viewport: { width: 320, height: 640 } })
    await page.goto(authorizeUrl({ scope: 'openid urn:service:iam:org:id:globex' }))
    await page.click('#provider-1')
    expect(await page.textContent('#login-provider')).toBe('Sign in with Company')
    expect(await page.isVisible('#password-show')).toBe(javaScriptEnabled)
    await page.waitForSelector('#login-name:focus')
    await page.keyboard.type('alice')
    await page.fill('#password', 'wrong')
    await page.keyboard.press('Enter')
    expect(await page.textContent('#login-problem')).toContain('is not right')
    await page.waitForSelector('#password:focus')
    await page.keyboard.type('of-the-directory')
    await page.click('#login-submit')
    await page.waitForSelector('#app')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('globex1')
    // The browser logs a response with status 400 as an error.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
  })

  it('shows the button of passkeys where its script runs', async () => {
    const { page } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    expect(await page.isVisible('#login-submit')).toBe(true)
    expect(await page.isVisible('#passkey-submit')).toBe(javaScriptEnabled)
  })

  it('continues with the chosen account [authorize.prompt.select_account]', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    for (const loginName of ['user1', 'user2']) {
      await page.goto(authorizeUrl({ prompt: 'login' }))
      await signIn(page, loginName)
    }
    await page.goto(authorizeUrl())
    expect(await page.textContent('body')).toContain('Choose an account')
    await page.click('button:has-text("user1@acme.localhost")')
    await page.waitForSelector('#app')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user1')
    expect(complaints).toEqual([])
  })

  it('signs in in each of three tabs that were opened at once in a browser without cookies', async () => {
    const context = await chrome.newContext({ javaScriptEnabled })
    const tabs = await Promise.all([1, 2, 3].map(() => context.newPage()))
    // Each response sets its cookies before any tab opens its page.
    await openTogether(context, tabs)
    for (const [index, tab] of tabs.entries()) {
      expect(await tab.textContent('body')).toContain('Sign in')
      await signIn(tab, ['user1', 'user2', 'user1'][index])
      expect(application.answers.at(-1)?.parameters).toMatchObject({ state: `tab-${index}` })
      expect(application.answers.at(-1)?.parameters).toHaveProperty('code')
    }
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toContain('signet.session')
    expect(names.join(), 'the cookies of answered requests are gone').not.toContain('signet.request')
    await context.close()
  })

  it('gives a device access after the code, the sign-in and the consent (RFC 8628)', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    const { user_code: code } = await env.beginDevice()
    await page.goto(`${origin()}/ui/device`)
    await page.fill('#user-code', code.toLowerCase().replace('-', ' '))
    await page.click('#device-submit')
    await page.waitForSelector('#login-name')
    await page.fill('#login-name', 'user1')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    expect(await page.textContent('#consent-asks')).toContain('Portal TV')
    expect([...env.fakes.devices.values()].at(-1)?.state).toBe('waits')
    // The issuer of the tests has another port than the server: that of a Signet which may run beside.
    const [done] = await Promise.all([
      page.waitForRequest(`${env.issuer}/ui/device/done*`),
      page.click('#consent-allow'),
    ])
    await page.waitForURL(({ protocol, origin: at }) => protocol === 'chrome-error:' || at === env.issuer)
    complaints.length = 0
    await page.goto(done.url().replace(env.issuer, origin()))
    expect(await page.textContent('h1')).toBe('The device has access')
    expect([...env.fakes.devices.values()].at(-1)).toMatchObject({ state: 'approved', userId: 'user1' })
    expect(complaints).toEqual([])
  })

  it('shows the applications that have access and ends the access of one [F-38]', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    env.fakes.grants.set('user1 native', ['openid', 'profile', 'offline_access'])
    env.fakes.grants.set('user1 web', ['openid', 'email'])
    await page.goto(`${origin()}/ui/applications`)
    await page.focus('text=End access of Portal app')
    // The whole text, because parts of the old and the new page do not name the other application either.
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    const shown = await page.textContent('body')
    expect(shown).not.toContain('Portal app')
    expect(shown).toContain('Portal <web>')
    expect(env.fakes.endedAccess.slice(-2)).toMatchObject([
      { by: 'directory', userId: 'user1', clientId: 'native' },
      { by: 'token', userId: 'user1', clientId: 'native' },
    ])
    expect(complaints).toEqual([])
  })

  it('creates an account from the sign-in page', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await page.click('#login-register')
    await page.fill('#register-given-name', 'User4')
    await page.fill('#register-family-name', 'Example')
    await page.fill('#register-email', 'user4@example.org')
    await page.fill('#register-user-name', 'user4')
    await page.click('#register-submit')
    expect(await page.textContent('#register-password-problem')).toContain('Fill in')
    await page.fill('#register-password', PASSWORD)
    await page.click('#register-submit')
    await page.waitForSelector('#app')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user4')
    // The browser logs a response with status 400 as an error.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
  })

  it('asks for the second factor after the password', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await page.fill('#login-name', 'totpuser')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    env.fakes.totpCodes.add('123456')
    await page.fill('#totp-code', '123456')
    await page.click('#totp-submit')
    await page.waitForSelector('#app')
    expect(env.fakes.codeRequests.at(-1)?.session?.amr).toEqual(['pwd', 'otp', 'mfa'])
    expect(complaints).toEqual([])
  })

  it('adds a second factor and changes the password before the sign-in continues', async () => {
    env.fakes.forced.add('acme')
    env.fakes.passwordChanges.add('user3')
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await page.fill('#login-name', 'user3')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    expect(await page.textContent('#enrolment-secret')).toMatch(/^SECR ET/)
    env.fakes.totpCodes.add('234567')
    await page.fill('#enrolment-code', '234567')
    await page.click('#enrolment-submit')
    await page.click('#recovery-codes-kept')
    await page.fill('#new-password', 'Another-horse-10')
    await page.click('#new-password-submit')
    await page.waitForSelector('#app')
    for (const known of ['forced', 'passwordChanges', 'enrolled'] as const) env.fakes[known].clear()
    expect(env.fakes.codeRequests.at(-1)?.session).toMatchObject({
      userId: 'user3',
      amr: ['pwd', 'otp', 'mfa'],
    })
    expect(complaints).toEqual([])
  })

  it('asks for consent and returns the decision to the client', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    for (const [button, answer] of [
      ['#consent-allow', 'code'],
      ['#consent-deny', 'error'],
    ] as const) {
      await page.goto(authorizeUrl({ prompt: 'consent' }))
      await page.click(button)
      await page.waitForSelector('#app')
      expect(application.answers.at(-1)?.parameters).toHaveProperty(answer)
    }
    expect(complaints).toEqual([])
  })

  it('signs out after a confirmation', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    await page.goto(`${origin()}/oidc/v1/end_session`)
    await page.click('#logout-confirm')
    await page.waitForURL(/\/ui\/logout\/done$/)
    expect(await page.textContent('body')).toContain('You are signed out')
    await page.goto(authorizeUrl())
    expect(await page.isVisible('#login-name')).toBe(true)
    expect(complaints).toEqual([])
  })

  it('sends the response by POST (OAuth 2.0 Form Post Response Mode) [authorize.response_mode.form_post]', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    await page.goto(authorizeUrl({ response_mode: 'form_post', state: 'posted' }))
    if (!javaScriptEnabled) await page.click('#form-post-submit')
    await page.waitForSelector('#app')
    expect(application.answers.at(-1)).toMatchObject({ method: 'POST', parameters: { state: 'posted' } })
    expect(complaints).toEqual([])
  })
})

it('the sign-in page works by keyboard, with the focus on the first empty field', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await page.waitForSelector('#login-name:focus')
  await page.keyboard.type('user1')
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=alert]')
  await page.waitForSelector('#password:focus')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#app')
})

it('the second-factor page works by keyboard, with the focus on the code', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await page.waitForSelector('#login-name:focus')
  await page.keyboard.type('totpuser')
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#totp-code:focus')
  env.fakes.totpCodes.add('654321')
  await page.keyboard.type('654321')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#app')
})

it('the registration form works by keyboard, with the focus on the first field', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl({ prompt: 'create' }))
  await page.waitForSelector('#register-given-name:focus')
  for (const text of ['User4', 'Example', 'user4@example.org', 'user4', PASSWORD]) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.waitForSelector('#register-password-show:focus')
  await page.keyboard.press('Tab')
  await page.waitForSelector('#register-submit:focus')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#app')
  expect(env.fakes.registrations.at(-1)).toMatchObject({ givenName: 'User4', email: 'user4@example.org' })
})

it('the consent page works by keyboard', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await signIn(page)
  await page.goto(authorizeUrl({ prompt: 'consent' }))
  await page.keyboard.press('Tab')
  await page.waitForSelector('#consent-allow:focus')
  await page.keyboard.press('Tab')
  await page.waitForSelector('#consent-deny:focus')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#app')
  expect(application.answers.at(-1)?.parameters).toMatchObject({ error: 'access_denied' })
})

it('the account chooser works by keyboard, with the focus on the hinted account', async () => {
  const { page } = await open()
  for (const loginName of ['user2', 'user1']) {
    await page.goto(authorizeUrl({ prompt: 'login' }))
    await signIn(page, loginName)
  }
  await page.goto(authorizeUrl({ prompt: 'select_account', login_hint: 'user2' }))
  await page.waitForSelector('#account-1:focus')
  await page.keyboard.press('Tab')
  await page.waitForSelector('#account-2:focus')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#app')
  expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user2')
})

it('going back after a sign-in shows a link to the application instead of a form', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await signIn(page)
  await page.goBack()
  expect(await page.textContent('h1')).toBe('This page is no longer needed')
  expect(await page.getAttribute('#way-on', 'href')).toBe(new URL('/', application.callback).href)
})

it.each(['fr-FR', 'ar-EG', 'ja-JP'])(
  'signs in with a second factor in %s, without JavaScript',
  async (locale) => {
    const { page, complaints } = await open({ javaScriptEnabled: false, locale })
    await page.goto(authorizeUrl())
    expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2))
    await page.fill('#login-name', 'totpuser')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    env.fakes.totpCodes.add('345678')
    await page.fill('#totp-code', '345678')
    await page.click('#totp-submit')
    await page.waitForSelector('#app')
    expect(complaints).toEqual([])
  },
)

it('an Arabic page is mirrored, and its codes and addresses are not', async () => {
  const { page } = await open({ locale: 'ar-EG', viewport: { width: 400, height: 800 } })
  await page.goto(authorizeUrl())
  await page.fill('#login-name', 'totpuser')
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
  await page.fill('#totp-code', '000000')
  await page.click('#totp-submit')
  await page.waitForSelector('[role=alert]')
  const shown = await page.evaluate(() => {
    const style = (selector: string) => getComputedStyle(document.querySelector(selector) as Element)
    const checkbox = (document.querySelector('#totp-trust') as Element).getBoundingClientRect()
    return {
      alert: [style('[role=alert]').borderRightWidth, style('[role=alert]').borderLeftWidth],
      code: style('#totp-code').direction,
      application: style('.intro bdi').direction,
      isCheckboxRight: checkbox.left > 200,
    }
  })
  expect(shown).toEqual({ alert: ['4px', '0px'], code: 'ltr', application: 'ltr', isCheckboxRight: true })
  // The text is one grid item beside the checkbox, although it has elements.
  expect(await page.locator('label.choice > *').count()).toBe(2)
  await page.context().close()
})

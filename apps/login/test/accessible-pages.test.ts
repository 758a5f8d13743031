import { textDirection, UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { size } from '@signet/testing/sizes'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  accessibilityProblems,
  authorizePath,
  contrastProblems,
  enterPassword,
  openPage,
  type RelyingParty,
  startChromiumTests,
  widthOf,
} from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, type TestEnvironment } from './setup.ts'
import { ldapProvider } from './upstream-pages.ts'

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

beforeEach(async () => {
  // Without a short timeout, each failing page would wait for the default one.
  await env.redis.flushdb()
  for (const known of [
    'forced',
    'passwordChanges',
    'refusedRules',
    'passkeys',
    'passkeyOffers',
    'enrolled',
    'recoveryCodes',
  ] as const) {
    env.fakes[known].clear()
  }
})
beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({ directoryServices: [fakeOwnAccounts] }))
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('directory', 'Directory', 'ldap.localhost')`,
    `INSERT INTO directory.organization_domain VALUES ('directory', 'ldap.localhost', true)`,
    ldapProvider('ldap', 'directory', 'Directory of a company with a long name'),
  ])
  env.upstream.testedType = 'ldap'
  env.upstream.passwords.set(`alice ${PASSWORD}`, asserted('alice'))
})
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`

async function authorize(page: Page, parameters: Record<string, string> = {}): Promise<void> {
  await page.goto(at(authorizePath(application, parameters)))
}

async function signIn(page: Page, ...loginNames: string[]): Promise<void> {
  for (const loginName of loginNames) {
    await authorize(page, { prompt: 'login' })
    await enterPassword(page, loginName)
    await page.waitForSelector('#app')
  }
}

/** The first of two pages, in an organization whose policy says so. */
async function nameFirst(page: Page): Promise<void> {
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization_policy VALUES ('globex', 'login', '{"identifierFirst": true}')
         ON CONFLICT DO NOTHING`,
  ])
  await authorize(page, { scope: 'openid urn:service:iam:org:id:globex' })
  expect(await page.locator('#password').count()).toBe(0)
}

async function openDirectoryTest(page: Page): Promise<void> {
  const token = 'x'.repeat(43)
  env.upstream.tests.set(token, '')
  await page.goto(at(`/ui/identity-providers/test?token=${token}`))
  await page.waitForSelector('#test-start')
}

const OFFER = {
  ...{ organizationId: 'partner', organizationName: 'Partner' },
  ...{ projectId: 'depot', projectName: 'Depot' },
  roles: ['PROJECT_OWNER', 'PROJECT_SPECIAL'],
}

/** Every page that a user can see, and the steps that reach it with a new browser. */
const PAGES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'sign-in': (page) => authorize(page),
  'refused sign-in': async (page) => {
    await authorize(page)
    await enterPassword(page, 'user1', 'wrong')
    await page.waitForSelector('[role=alert]')
  },
  'refused password of a directory': async (page) => {
    await authorize(page, { scope: 'openid urn:service:iam:org:id:directory' })
    await page.click('#provider-1')
    await enterPassword(page, 'alice', 'wrong')
    await page.waitForSelector('#login-problem')
  },
  'test of a directory': openDirectoryTest,
  'result of a test of a directory': async (page) => {
    await openDirectoryTest(page)
    await page.fill('#login-name', 'alice')
    await page.fill('#password', PASSWORD)
    await page.click('#test-start')
    await page.waitForSelector('#test-result')
  },
  'login name first': nameFirst,
  'password after the login name': async (page) => {
    await nameFirst(page)
    await page.fill('#login-name', 'globex1')
    await page.click('#login-submit')
    await page.waitForSelector('#login-other')
  },
  'offered passkey': async (page) => {
    env.fakes.passkeyOffers.add('user1')
    await authorize(page)
    await page.evaluate(() => document.getElementById('passkey-capable')?.setAttribute('value', 'yes'))
    await enterPassword(page, 'user1')
    await page.waitForSelector('#offer-skip')
  },
  passkeys: async (page) => {
    await signIn(page, 'user1', 'user2')
    env.fakes.passkeys.set('user2', ['AAAA', 'BBBB'])
    await page.goto(at('/ui/passkeys'))
    await page.waitForSelector('#passkey-2-rename')
  },
  'passkeys after a refused name': async (page) => {
    env.fakes.passkeys.set('user2', ['AAAA'])
    await signIn(page, 'user2')
    await page.goto(at('/ui/passkeys'))
    await page.fill('#passkey-1-name', ' ')
    await page.click('#passkey-1-rename')
    await page.waitForSelector('[role=alert]')
  },
  'confirmation before changing passkeys': async (page) => {
    await signIn(page, 'user2')
    env.clock.advance(11 * 60_000)
    await page.goto(at('/ui/passkeys'))
    await page.click('a.confirm')
    await page.fill('#confirm-password', 'wrong')
    await page.click('#confirm-submit')
    await page.waitForSelector('[role=alert]')
  },
  'passkey as second factor': async (page) => {
    env.fakes.forced.add('acme')
    env.fakes.passkeys.set('user2', ['AAAA'])
    await authorize(page)
    await enterPassword(page, 'user2')
    await page.waitForSelector('#totp-passkey')
  },
  registration: async (page) => {
    await authorize(page, { prompt: 'create' })
    await page.waitForSelector('#register-submit')
  },
  'refused registration': async (page) => {
    await authorize(page, { prompt: 'create' })
    await page.fill('#register-user-name', 'user4')
    await page.click('#register-submit')
    await page.waitForSelector('#register-email-problem')
  },
  'second factor': async (page) => {
    await authorize(page)
    await enterPassword(page, 'totpuser')
    await page.waitForSelector('#totp-code')
  },
  'refused second factor': async (page) => {
    await authorize(page)
    await enterPassword(page, 'totpuser')
    await page.fill('#totp-code', '000000')
    await page.click('#totp-submit')
    await page.waitForSelector('[role=alert]')
  },
  'refused recovery code': async (page) => {
    env.fakes.recoveryCodes.set('totpuser', new Set(['aaaa']))
    await authorize(page)
    await enterPassword(page, 'totpuser')
    await page.click('#recovery-show')
    await page.fill('#recovery-code', 'zzzz')
    await page.click('#recovery-submit')
    await page.waitForSelector('[role=alert]')
  },
  'own second factors': async (page) => {
    await signIn(page, 'user1', 'user2')
    env.fakes.enrolled.add('user2')
    env.fakes.trustKeys.set('user2', 'key')
    env.fakes.trustedBrowsers.set('first', { userId: 'user2', agent: 'Firefox, Linux' })
    env.fakes.trustedBrowsers.set('second', { userId: 'user2', agent: '' })
    await page.goto(at('/ui/account/factors'))
    await page.waitForSelector('#account-1-browser-2-end')
  },
  'new authenticator': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/factors'))
    await page.click('#account-1-totp-add')
    await page.fill('#enrolment-code', '000000')
    await page.click('#enrolment-submit')
    await page.waitForSelector('[role=alert]')
  },
  'new recovery codes': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/factors'))
    await page.click('#account-1-totp-add')
    env.fakes.totpCodes.add('123456')
    await page.fill('#enrolment-code', '123456')
    await page.click('#enrolment-submit')
    await page.waitForSelector('#recovery-codes')
    env.fakes.enrolled.delete('user1')
    env.fakes.recoveryCodes.delete('user1')
  },
  'second factor to add': async (page) => {
    env.fakes.forced.add('acme')
    await authorize(page)
    await enterPassword(page, 'user1')
    await page.waitForSelector('#enrolment-code')
  },
  'refused second factor to add': async (page) => {
    env.fakes.forced.add('acme')
    await authorize(page)
    await enterPassword(page, 'user1')
    await page.fill('#enrolment-code', '000000')
    await page.click('#enrolment-submit')
    await page.waitForSelector('[role=alert]')
  },
  'new password': async (page) => {
    env.fakes.passwordChanges.add('user1')
    await authorize(page)
    await enterPassword(page, 'user1')
    await page.waitForSelector('#new-password')
  },
  'refused new password': async (page) => {
    env.fakes.passwordChanges.add('user1')
    await authorize(page)
    await enterPassword(page, 'user1')
    await page.fill('#new-password', 'short')
    await page.click('#new-password-submit')
    await page.waitForSelector('[role=alert]')
  },
  'forbidden sign-in': async (page) => {
    env.fakes.refusedRules.set('user1', 'password_sign_in_not_allowed')
    await authorize(page)
    await enterPassword(page, 'user1')
    await page.waitForSelector('[role=alert]')
  },
  'own applications': async (page) => {
    await signIn(page, 'user1', 'globex1')
    env.fakes.grants.set('user1 native', ['openid', 'profile', 'offline_access'])
    env.fakes.consents.set('user1 web', new Set(['openid', 'email']))
    await page.goto(at('/ui/applications'))
    await page.waitForSelector('#end-access-2')
  },
  'own applications without a session': async (page) => {
    await page.goto(at('/ui/applications'))
    await page.waitForSelector('main h1')
  },
  account: async (page) => {
    await signIn(page, 'user2', 'user1')
    await page.goto(at('/ui/account'))
    await page.waitForSelector('#account-sign-out')
  },
  'own password, refused': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/password'))
    await page.fill('#current-password', PASSWORD)
    await page.fill('#new-password', 'short')
    await page.click('#password-submit')
    await page.waitForSelector('#password-problem')
  },
  'own sessions': async (page) => {
    await signIn(page, 'user1')
    await page.context().clearCookies()
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/sessions'))
    await page.waitForSelector('#end-others')
  },
  'own profile, refused': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/profile'))
    await page.click('#profile-submit')
    await page.waitForSelector('#profile-display-name-problem')
  },
  'own e-mail address, refused': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/email'))
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#new-email', 'none')
    await page.click('#email-submit')
    await page.waitForSelector('#email-problem')
  },
  'link for an own e-mail address': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/email?token=token-of-user1'))
    await page.waitForSelector('#email-confirm')
  },
  'link for the e-mail address of an account that is not signed in': async (page) => {
    await page.goto(at('/ui/account/email?token=token-of-user2'))
    await page.waitForSelector('#email-sign-in')
  },
  'link for an e-mail address, refused': async (page) => {
    await page.goto(at('/ui/account/email?token=abc'))
    await page.waitForSelector('#email-problem')
  },
  'code for an own e-mail address, refused': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/email'))
    await page.fill('#new-email', 'new@acme.localhost')
    await page.click('#email-submit')
    await page.fill('#code', 'abc')
    await page.click('#email-confirm')
    await page.waitForSelector('#email-problem')
  },
  'deletion of the own account, refused': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/delete'))
    await page.fill('#deletion-login-name', 'somebody else')
    await page.click('#deletion-submit')
    await page.waitForSelector('#deletion-problem')
  },
  'deleted own account': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/delete'))
    const [loginName = ''] = /\S+@\S+/.exec((await page.textContent('label')) ?? '') ?? []
    await page.fill('#deletion-login-name', loginName)
    await page.click('#deletion-submit')
    await page.waitForSelector('#deletion-done')
  },
  'own data': async (page) => {
    await signIn(page, 'user1')
    await page.goto(at('/ui/account/data'))
    await page.waitForSelector('#data-download')
  },
  'account chooser': async (page) => {
    await signIn(page, 'user1', 'globex1')
    await authorize(page, { prompt: 'select_account', login_hint: 'user1' })
    await page.waitForSelector('#account-2')
  },
  'sign-in beside the chooser': async (page) => {
    await signIn(page, 'user1')
    await authorize(page, { prompt: 'select_account' })
    await page.click('#account-other')
    await page.waitForSelector('#login-accounts')
  },
  consent: async (page) => {
    await signIn(page, 'user1')
    const scope =
      'openid profile email phone address offline_access urn:service:iam:org:project:id:portal:aud'
    await authorize(page, { prompt: 'consent', scope })
    await page.waitForSelector('#consent-allow')
  },
  'code of a device, unknown': async (page) => {
    await page.goto(at('/ui/device'))
    await page.fill('#user-code', 'BCDF-GHJK')
    await page.click('#device-submit')
    await page.waitForSelector('#device-problem')
  },
  'consent for a device': async (page) => {
    await page.goto(at(`/ui/device?user_code=${(await env.beginDevice()).user_code}`))
    await page.click('#device-submit')
    await enterPassword(page, 'user1')
    await page.waitForSelector('#device-warning')
  },
  'end of a request of a device': async (page) => {
    await page.goto(at('/ui/device/done?error=expired_token'))
    await page.waitForSelector('#device-again')
  },
  'offered roles': async (page) => {
    env.fakes.offers.set('globex1', [OFFER])
    await authorize(page)
    await enterPassword(page, 'globex1')
    await page.waitForSelector('#roles-accept')
    env.fakes.offers.delete('globex1')
  },
  'sign-out': (page) => page.goto(at('/oidc/v1/end_session')),
  'signed out': (page) => page.goto(at('/ui/logout/done')),
  'rejected request': (page) => page.goto(at('/oauth/v2/authorize?client_id=unknown')),
  'rejected request of an application in devMode': (page) =>
    authorize(page, { client_id: 'web-in-development', redirect_uri: 'https://rp.localhost/callback/' }),
  'first page': (page) => page.goto(at('/')),
  'unknown path': (page) => page.goto(at('/ui/nowhere')),
}

const SMALL = { width: 320, height: 640 }

/** The languages besides English, as a browser asks for them. */
const LOCALES = ['ar-EG', 'de-DE', 'fr-FR', 'ja-JP']

it('every language beside English is checked', () => {
  expect(LOCALES.map((locale) => locale.slice(0, 2)).toSorted()).toEqual(UI_LOCALES.slice(1).toSorted())
})

/** The ids of a page say which one it is, in any language. */
const idsOf = (page: Page) => page.locator('[id]').evaluateAll((found) => found.map(({ id }) => id))

/**
 * Has the browser send the last request again in another language. A page that can be had only once turns into another one, and
 * its steps are done again in a new browser.
 */
async function inLanguage(
  page: Page,
  { locale, reach }: { readonly locale: string; readonly reach: (page: Page) => Promise<unknown> },
): Promise<Page> {
  const before = await idsOf(page)
  await page.setExtraHTTPHeaders({ 'accept-language': locale })
  await page.reload()
  if (JSON.stringify(await idsOf(page)) === JSON.stringify(before)) return page
  await page.context().close()
  const { page: again } = await openPage(chrome, { locale, viewport: SMALL })
  await reach(again)
  return again
}

/** Pages take turns with the languages, and with what depends on style sheets that they share, unless each has all. */
const LANGUAGES = size('pageLanguages')
const localesOf = (number: number) =>
  Array.from({ length: LANGUAGES }, (_, n) => LOCALES[(number + n) % LOCALES.length] ?? '')
const isShownDark = (number: number) => LANGUAGES === LOCALES.length || number % 2 === 1

/** The pages of this run, at equal distances, so that they have all languages and both colours. */
const pages = Object.entries(PAGES).map(([name, reach], number) => [name, number, reach] as const)
const distance = Math.ceil(pages.length / size('accessiblePages'))
const examined = pages.filter(([, number]) => number % distance === 0)

it('examines pages in every language and in dark colours', () => {
  expect(new Set(examined.flatMap(([, number]) => localesOf(number))).size).toBe(LOCALES.length)
  expect(examined.some(([, number]) => isShownDark(number))).toBe(true)
})

it.each(examined)(
  'the page "%s" has no axe-core violations, light, dark or right to left, and fits 320 pixels in other languages',
  async (_name, number, reach) => {
    let { page } = await openPage(chrome)
    await reach(page)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    if (isShownDark(number)) expect(await contrastProblems(page)).toEqual([])
    await page.setViewportSize(SMALL)
    expect(await widthOf(page)).toBe(320)
    expect(await page.evaluate(() => getComputedStyle(document.body).display)).toBe('grid')
    for (const locale of localesOf(number)) {
      page = await inLanguage(page, { locale, reach })
      const [language = ''] = locale.split('-')
      expect(await page.getAttribute('html', 'lang')).toBe(language)
      expect(await page.getAttribute('html', 'dir')).toBe(textDirection(language))
      expect(await widthOf(page), locale).toBe(320)
      // The other languages differ in their words only, and axe-core takes most of the time of this test.
      if (language === 'ar') expect(await accessibilityProblems(page)).toEqual([])
    }
    await page.context().close()
  },
)

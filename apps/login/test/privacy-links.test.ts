import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  authorizePath,
  contrastProblems,
  openPage,
  type RelyingParty,
  startChromiumTests,
  widthOf,
} from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, type TestEnvironment } from './setup.ts'

const POLICY = {
  tosLink: 'https://acme.example/{{.Lang}}/terms',
  privacyLink: 'https://acme.example/privacy?a=1&b=%22',
  helpLink: 'http://localhost:1/help',
  docsLink: 'https://acme.example/docs',
  supportEmail: 'help@acme.example',
  customLink: 'https://acme.example/shop',
  customLinkText: '<b>Shop</b> & more',
}
/** A policy of an import: values that the management API refuses. */
const HOSTILE = {
  tosLink: 'javascript:alert(1)',
  privacyLink: 'https://acme.example/"><script>alert(1)</script> x',
  helpLink: 'http://evil.example/',
  supportEmail: 'a@acme.example?bcc=b@evil.example',
  customLink: 'https://acme.example/',
}

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

const policyRow = (organization: string, policy: object) =>
  `INSERT INTO directory.organization_policy
   VALUES ('${organization}', 'privacy', '${JSON.stringify(policy)}'),
          ('${organization}', 'login', '{"allowRegister": true, "allowUsernamePassword": true}')`

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({ directoryServices: [fakeOwnAccounts] }))
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('moved', 'Moved', 'moved.localhost')`,
    `INSERT INTO directory.organization_domain VALUES ('moved', 'moved.localhost', true)`,
    policyRow('acme', POLICY),
    policyRow('moved', HOSTILE),
  ])
})
afterAll(() => stop?.())
beforeEach(() => env.redis.flushdb())

const at = (path: string) => `http://localhost:${env.port}${path}`
function authorize(page: Page, organization: string, parameters: Readonly<Record<string, string>> = {}) {
  return page.goto(
    at(
      authorizePath(application, {
        scope: `openid urn:service:iam:org:id:${organization}`,
        ...parameters,
      }),
    ),
  )
}
const linksOf = (page: Page, selector = 'footer a') =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all.map((one) => ['id', 'href', 'rel', 'target'].map((name) => one.getAttribute(name))),
    )

const REL = 'noopener noreferrer'
const linksIn = (language: string, target: string | null) => [
  ['link-terms', `https://acme.example/${language}/terms`, REL, target],
  ['link-privacy', POLICY.privacyLink, REL, target],
  ['link-help', POLICY.helpLink, REL, target],
  ['link-docs', POLICY.docsLink, REL, target],
  ['link-custom', POLICY.customLink, REL, target],
  ['link-support', 'mailto:help@acme.example', null, null],
]

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it('shows the links of the organization of the request, which leave the form open', async () => {
    const { page, complaints } = await openPage(chrome, { javaScriptEnabled })
    await authorize(page, 'acme')
    expect(await linksOf(page)).toEqual(linksIn('en', '_blank'))
    expect(await page.textContent('#link-custom')).toContain('<b>Shop</b> & more')
    await authorize(page, 'acme', { prompt: 'create' })
    expect(await linksOf(page, '#register-links a')).toEqual([
      ['register-terms', 'https://acme.example/en/terms', REL, '_blank'],
      ['register-privacy', POLICY.privacyLink, REL, '_blank'],
    ])
    await authorize(page, 'globex')
    expect(await linksOf(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

it('shows them on account pages, in the same tab where there is nothing to fill in', async () => {
  const { page, complaints } = await openPage(chrome)
  await authorize(page, 'acme')
  await page.fill('#login-name', 'user1')
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
  await page.waitForSelector('#app')
  for (const path of ['', '/data', '/sessions', '/factors']) {
    await page.goto(at(`/ui/account${path}`))
    expect(await linksOf(page), path).toEqual(linksIn('en', null))
  }
  await page.goto(at('/ui/account/profile'))
  expect(await linksOf(page)).toEqual(linksIn('en', '_blank'))
  expect(complaints).toEqual([])
  await page.context().close()
})

it.each(['en', 'de', 'fr', 'ar', 'ja'])(
  'passes axe and fits 320 pixels, light and dark, in language %s',
  async (locale) => {
    const { page } = await openPage(chrome, { locale, viewport: { width: 320, height: 640 } })
    for (const parameters of [{}, { prompt: 'create' }]) {
      await authorize(page, 'acme', parameters)
      expect(await linksOf(page)).toEqual(linksIn(locale, '_blank'))
      expect(await widthOf(page)).toBe(320)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await contrastProblems(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await page.context().close()
  },
)

it('shows none of the values of an import that break a rule', async () => {
  const { page } = await openPage(chrome)
  await authorize(page, 'moved', { prompt: 'create' })
  expect(await linksOf(page)).toEqual([])
  expect(await page.content()).not.toMatch(/javascript:|evil|acme\.example/)
  await page.context().close()
})

it('shows a change within a second', async () => {
  const shown = async () =>
    (await env.authorize(env.newBrowser(), { scope: 'openid urn:service:iam:org:id:moved' })).body.includes(
      'id="link-terms"',
    )
  expect(await shown()).toBe(false)
  await asOwner(env.adminUrl, [
    `UPDATE directory.organization_policy SET document = '{"tosLink": "https://acme.example/"}'
      WHERE organization_id = 'moved' AND kind = 'privacy'`,
  ])
  await expect.poll(shown).toBe(true)
})

import { createHash } from 'node:crypto'
import { fontSample } from '@signet/testing/branding-samples'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authorizePath, enterPassword, openPage, type RelyingParty, startChromiumTests } from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { asOwner, type TestEnvironment } from './setup.ts'

const FONT = fontSample()
const FONT_HASH = createHash('sha256').update(FONT).digest('hex')

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({ directoryServices: [fakeOwnAccounts] }))
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.organization_policy VALUES ('acme', 'label', '{"primaryColor": "#0b6e4f"}')`,
    `INSERT INTO directory.branding_file (organization_id, kind, media_type, content)
     VALUES ('acme', 'font', 'font/woff2', '\\x${FONT.toString('hex')}')`,
  ])
})
beforeEach(() => env.redis.flushdb())
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`

async function authorize(
  page: Page,
  organization: string,
  parameters: Readonly<Record<string, string>> = {},
) {
  return page.goto(
    at(
      authorizePath(application, {
        scope: `openid urn:service:iam:org:id:${organization}`,
        ...parameters,
      }),
    ),
  )
}

async function signIn(page: Page): Promise<void> {
  await authorize(page, 'acme')
  await enterPassword(page, 'user1')
  await page.waitForSelector('#app')
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it('shows text in the font of the organization', async () => {
    const { page, complaints } = await openPage(chrome, { javaScriptEnabled })
    const width = () =>
      page.evaluate(async () => {
        await document.fonts.ready
        const range = document.createRange()
        range.selectNodeContents(document.querySelector('h1') as Element)
        return [[...document.fonts].map(({ status }) => status), range.getBoundingClientRect().width]
      })
    await authorize(page, 'globex')
    const [none, withSystemFont] = await width()
    await authorize(page, 'acme')
    const [loaded, withOwnFont] = await width()
    expect([none, loaded]).toEqual([[], ['loaded']])
    expect(withOwnFont).not.toBe(withSystemFont)
    for (const selector of ['h1', 'button', 'input:not([type=hidden])']) {
      expect(
        await page
          .locator(selector)
          .first()
          .evaluate((one) => getComputedStyle(one).fontFamily),
      ).toMatch(/^organization, system-ui/)
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

/** The pages that ask what an application may do, or whether a person agrees, and the steps that reach them. */
const ASKING: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the access of an application': async (page) => {
    await authorize(page, 'acme', { prompt: 'consent' })
    await enterPassword(page, 'user1')
    await page.waitForSelector('#consent-allow')
  },
  'offered roles': async (page) => {
    env.fakes.offers.set('user1', [
      {
        ...{ organizationId: 'partner', organizationName: 'Partner' },
        ...{ projectId: 'depot', projectName: 'Depot', roles: ['PROJECT_OWNER'] },
      },
    ])
    await authorize(page, 'acme')
    await enterPassword(page, 'user1')
    await page.waitForSelector('#roles-accept')
  },
  'a confirmation': async (page) => {
    await signIn(page)
    env.clock.advance(11 * 60_000)
    await page.goto(at('/ui/passkeys'))
    await page.click('a.confirm')
    await page.waitForSelector('#confirm-submit')
  },
  'a refused confirmation': async (page) => {
    await signIn(page)
    env.clock.advance(11 * 60_000)
    await page.goto(at('/ui/passkeys'))
    await page.click('a.confirm')
    await page.fill('#confirm-password', 'wrong')
    await page.click('#confirm-submit')
    await page.waitForSelector('[role=alert]')
  },
  'applications with access': async (page) => {
    env.fakes.consents.set('user1 native', new Set(['openid', 'email']))
    await signIn(page)
    await page.goto(at('/ui/applications'))
    await page.waitForSelector('main form')
  },
  'the deletion of the account': async (page) => {
    await signIn(page)
    await page.goto(at('/ui/account/delete'))
    await page.waitForSelector('#deletion-submit')
  },
}

it.each(Object.entries(ASKING))('a page about %s has the colours and no font', async (_what, reach) => {
  const { page, complaints } = await openPage(chrome)
  const policies: string[] = []
  page.on('response', async (response) => {
    const policy = response.headers()['content-security-policy']
    if (response.request().isNavigationRequest() && policy !== undefined) policies.push(policy)
  })
  await reach(page)
  expect(
    await page.evaluate(async () => {
      await document.fonts.ready
      return [document.fonts.size, getComputedStyle(document.querySelector('h1') as Element).fontFamily]
    }),
  ).toEqual([0, expect.stringMatching(/^system-ui/)])
  expect(await page.content()).not.toContain(FONT_HASH)
  expect(policies.at(-1)).not.toContain('font-src')
  expect(await page.locator('link[href*="/branding1-auto-0b6e4f-"]').count(), 'its colours').toBe(1)
  expect(complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
  env.fakes.offers.clear()
  env.fakes.consents.clear()
  await page.context().close()
})

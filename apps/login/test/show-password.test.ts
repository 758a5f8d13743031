import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { rpcService } from '@signet/grpc/service'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
import type { TestEnvironment } from './setup.ts'

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({
    directoryServices: [
      fakeOwnAccounts,
      rpcService(RecoveryService, {
        checkMailToken: async () => ({
          ...{ organizationId: 'acme', organizationName: 'Acme' },
          ...{ userId: 'user1', loginName: 'user1@acme.example', passwordAllowed: true },
        }),
        requestPasswordReset: async () => ({}),
        setPassword: async () => ({}),
        verifyEmail: async () => ({}),
        notifyNewSignIn: async () => ({}),
      }),
    ],
  }))
})
afterAll(() => stop?.())
beforeEach(() => env.redis.flushdb())

const at = (path: string) => `http://localhost:${env.port}${path}`

function authorize(page: Page, parameters: Readonly<Record<string, string>> = {}) {
  return page.goto(at(authorizePath(application, parameters)))
}

async function signIn(page: Page, loginName = 'user1'): Promise<void> {
  await authorize(page)
  await enterPassword(page, loginName)
}

/** Every page with a password, its fields, and the steps that reach it with a new browser. */
const PAGES: Readonly<Record<string, readonly [fields: readonly string[], steps: (page: Page) => unknown]>> =
  {
    'sign-in': [['password'], (page) => authorize(page)],
    registration: [['register-password'], (page) => authorize(page, { prompt: 'create' })],
    'new password in a sign-in': [
      ['new-password'],
      async (page) => {
        env.fakes.passwordChanges.add('user1')
        await signIn(page)
        await page.waitForSelector('#new-password')
        env.fakes.passwordChanges.clear()
      },
    ],
    'password of a link': [['new-password'], (page) => page.goto(at('/ui/password/reset?token=good'))],
    'own password': [
      ['current-password', 'new-password'],
      async (page) => {
        await signIn(page)
        await page.waitForSelector('#app')
        await page.goto(at('/ui/account/password'))
      },
    ],
    confirmation: [
      ['confirm-password'],
      async (page) => {
        await signIn(page)
        await page.waitForSelector('#app')
        env.clock.advance(11 * 60_000)
        await page.goto(at('/ui/account/factors'))
        await page.click('a.confirm')
      },
    ],
  }

const typeOf = (page: Page, field: string) => page.getAttribute(`#${field}`, 'type')

describe.each(Object.entries(PAGES))('on the page: %s', (_name, [fields, steps]) => {
  it('a button shows and hides the password by pointer and by keyboard', async () => {
    const { page, complaints } = await openPage(chrome)
    const answer = page.waitForResponse((response) => response.request().isNavigationRequest())
    await steps(page)
    await answer
    for (const field of fields) {
      await page.fill(`#${field}`, 'correct horse')
      expect(await page.getAttribute(`#${field}-show`, 'aria-pressed')).toBe('false')
      await page.click(`#${field}-show`)
      expect([await typeOf(page, field), await page.getAttribute(`#${field}-show`, 'aria-pressed')]).toEqual([
        'text',
        'true',
      ])
      await page.focus(`#${field}`)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      expect([await typeOf(page, field), await page.inputValue(`#${field}`)]).toEqual([
        'password',
        'correct horse',
      ])
      await page.keyboard.press('Enter')
      expect(await typeOf(page, field)).toBe('text')
    }
    expect(await accessibilityProblems(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await contrastProblems(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('the button is not there without JavaScript', async () => {
    const { page } = await openPage(chrome, { javaScriptEnabled: false })
    await steps(page)
    for (const field of fields) {
      expect(await typeOf(page, field)).toBe('password')
      expect(await page.locator(`#${field}-show`).isVisible()).toBe(false)
    }
    await page.context().close()
  })

  it.each(['en', 'de', 'fr', 'ar', 'ja'])(
    'it has a name and fits 320 pixels in language %s',
    async (locale) => {
      const { page } = await openPage(chrome, { locale, viewport: { width: 320, height: 640 } })
      await steps(page)
      expect(await page.getAttribute('html', 'lang')).toBe(locale)
      expect(await widthOf(page)).toBe(320)
      for (const field of fields) {
        const label = await page.textContent(`label[for=${field}]`)
        expect(await page.getAttribute(`#${field}-show`, 'aria-label')).toMatch(
          new RegExp(`^\\S.*[:：] ${label}$`),
        )
        const [input, button] = await Promise.all(
          [`#${field}`, `#${field}-show`].map((one) => page.locator(one).boundingBox()),
        )
        // The button is at the end of the line: on the left in Arabic.
        expect((button?.x ?? 0) > (input?.x ?? 0)).toBe(locale !== 'ar')
        expect(Math.min(button?.width ?? 0, button?.height ?? 0)).toBeGreaterThanOrEqual(44)
      }
      await page.context().close()
    },
  )
})

it('submits a shown password from a field of the type password', async () => {
  const { page } = await openPage(chrome)
  await authorize(page)
  await page.fill('#login-name', 'user1')
  await page.fill('#password', PASSWORD)
  await page.click('#password-show')
  await page.evaluate(() => {
    document.querySelector('form')?.addEventListener('submit', (event) => {
      event.preventDefault()
      document.title = `submitted as ${document.querySelector<HTMLInputElement>('#password')?.type}`
    })
  })
  await page.click('#login-submit')
  expect(await page.title()).toBe('submitted as password')
  await page.context().close()
})

it('lets a page run no script but its own, with a nonce for each response', async () => {
  const policies = await Promise.all(
    [1, 2].map(async () => {
      const answer = await fetch(at('/ui/password/reset?token=good'))
      const policy = answer.headers.get('content-security-policy') ?? ''
      const [, nonce] = /script-src 'nonce-([\w-]{22})'; /.exec(policy) ?? []
      expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]{22}'; style-src 'self'; /)
      const scripts = (await answer.text()).match(/<script[^>]*>/g) ?? []
      expect(scripts).toEqual([
        expect.stringMatching(
          new RegExp(
            `^<script type="module" nonce="${nonce}" src="/ui/assets/show-password-[0-9a-f]{16}\\.js">$`,
          ),
        ),
      ])
      return nonce
    }),
  )
  expect(new Set(policies).size).toBe(2)
})

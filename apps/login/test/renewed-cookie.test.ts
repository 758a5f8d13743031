import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ownAccountsWith } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
/** Runs while a request of another tab is at the directory. */
let meanwhile: () => Promise<unknown>

const account = { userId: 'user1', organizationId: 'acme', userEpoch: 1n, organizationEpoch: 0n }

beforeAll(async () => {
  env = await startTestEnvironment({
    directoryServices: [
      ownAccountsWith({
        async signOutEverywhere() {
          await meanwhile()
          return { account }
        },
        async replacePassword() {
          await meanwhile()
          return { account }
        },
      }),
    ],
  })
})
afterAll(() => env?.stop())
beforeEach(() => env.redis.flushdb())

it.each(['/ui/account/sessions', '/ui/account/password'])(
  'keeps the cookie of an account that signs in in another tab during a change on %s',
  async (path) => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    const page = await browser.get(path)
    let cookieOfTab: string | undefined
    meanwhile = async () => {
      const tab = await env.authorize(browser, { prompt: 'login' })
      await env.signIn(browser, tab, 'user2')
      cookieOfTab = browser.cookies.get('signet.session')
    }
    await browser.submit(page, { current: PASSWORD, password: 'Violet-harbour-27', others: 'yes' })
    expect(cookieOfTab).toBeDefined()
    expect(browser.cookies.get('signet.session')).toBe(cookieOfTab)
    expect((await browser.get('/ui/account')).text).toContain('user2@')
  },
)

import { openChromium } from '@signet/testing/system/chromium'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Reader, startReader } from '../src/quick-start.ts'

// The quick starts of applications, each in a new folder with the libraries that its page installs. `npm run test:interop`
// runs them and names the programs that are missing.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []

let reader: Reader
let browser: Browser

beforeAll(async () => {
  ;[reader, browser] = await Promise.all([startReader(), openChromium()])
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await reader?.stop()
})

interface QuickStart {
  readonly page: string
  readonly port: number
  readonly needs: readonly string[]
  /** Texts that the person chooses before the sign-in page, one after the other. */
  readonly choose?: readonly string[]
  /** Path on which the application shows the signed-in user, if not on its first page. */
  readonly shows?: string
  /** Further checks of what the page promises. */
  readonly also?: (page: Page) => Promise<void>
}

/** Follows the page, then signs in to the application and expects the address of alice. */
async function signsIn({
  page: name,
  port,
  choose = ['Sign in'],
  shows = '/',
  also,
}: QuickStart): Promise<void> {
  const app = await reader.follow(`quickstarts/${name}.md`, { ports: [port], clean: true })
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(app.origin(port))
    for (const text of choose) await page.click(`text=${text}`)
    await page.fill('#login-name', 'alice')
    await page.fill('#password', reader.alicePassword)
    await page.click('#login-submit')
    await page.waitForURL(`${app.origin(port)}/**`)
    if (shows !== '/') await page.goto(`${app.origin(port)}${shows}`)
    await page.getByText('alice@acme.localhost').waitFor()
    await also?.(page)
  } finally {
    await context.close()
    await app.stop()
  }
}

async function signsOut(page: Page): Promise<void> {
  await page.click('text=Sign out')
  await page.getByText('Sign in').waitFor()
}

/** The API takes the JWT access token, and no other token. */
async function callsApi(page: Page): Promise<void> {
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/token`)
  const token = (await page.textContent('body')) ?? ''
  const call = (bearer: string) =>
    fetch(`${origin}/api/hello`, { headers: { authorization: `Bearer ${bearer}` } })
  expect(await (await call(token)).json()).toEqual({ hello: 'alice' })
  expect((await call(`${token}x`)).status).toBe(401)
}

const QUICK_STARTS: readonly QuickStart[] = [
  { page: 'express', port: 4000, needs: [], shows: '/profile' },
  { page: 'react', port: 5173, needs: [], also: signsOut },
  { page: 'vue', port: 5173, needs: [], also: signsOut },
  { page: 'nextjs', port: 4000, needs: ['openssl'], choose: ['Sign in', 'Sign in with Signet'] },
  { page: 'python', port: 4000, needs: ['python3'] },
  { page: 'django', port: 4000, needs: ['python3'], also: signsOut },
  { page: 'go', port: 4000, needs: ['go'] },
  { page: 'spring', port: 4000, needs: ['java', 'mvn'], choose: [], also: callsApi },
  { page: 'oauth2-proxy', port: 4180, needs: ['go', 'openssl'], choose: [], shows: '/oauth2/userinfo' },
]

it.for(QUICK_STARTS)(
  'the quick start $page works as it is written',
  { timeout: 600_000 },
  async (quickStart, { skip }) => {
    const missing = quickStart.needs.filter((program) => !programs.includes(program))
    skip(missing.length > 0, `${missing.join(', ')} is not installed`)
    await signsIn(quickStart)
  },
)

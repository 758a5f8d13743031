import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { SAMPLE_FILE, sampleEnvironment, sampleSecrets } from '@signet/dev-stack/installation/sample'
import { childEnvironment } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { openChromium } from '@signet/testing/system/chromium'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const EXAMPLES = new URL('../../examples/', import.meta.url)

const secrets = sampleSecrets({ secretFor: () => randomBytes(32).toString('base64url') })
const ports = { web: 0, passport: 0, authjs: 0, spa: 0 }
const DOCUMENTED_PORTS = { web: 3000, passport: 3001, authjs: 3002, spa: 5173 }

let signet: StandaloneSystem
let browser: Browser

beforeAll(async () => {
  let sample = await readFile(SAMPLE_FILE, 'utf8')
  for (const name of ['web', 'passport', 'authjs', 'spa'] as const) {
    ports[name] = await freePort()
    sample = sample.replaceAll(
      `http://localhost:${DOCUMENTED_PORTS[name]}`,
      `http://localhost:${ports[name]}`,
    )
  }
  signet = await startSystem({
    mode: 'standalone',
    document: parse(sample),
    env: sampleEnvironment(secrets),
  })
  browser = await openChromium()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await signet?.stop()
})

/** A running application of the folder `examples`. */
interface ExampleApplication {
  readonly origin: string
  stop(): Promise<void>
}

/** Starts an example and waits until it says where to open it. Rejects with what it printed when it ends before. */
async function startExample(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ExampleApplication> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${folder}/server.mjs`, EXAMPLES))], {
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let printed = ''
  const opened = new Promise<string>((resolve) => {
    const read = (text: string) => {
      printed += text
      const origin = /^open (\S+)$/m.exec(printed)?.[1]
      if (origin !== undefined) resolve(origin)
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
  })
  const origin = await Promise.race([opened, closed.then(() => undefined)])
  if (origin === undefined) throw new Error(`the example ${folder} ended before it was ready:\n${printed}`)
  return {
    origin,
    async stop() {
      child.kill()
      await closed
    },
  }
}

/** Runs an example on the sample directory and opens it in a browser of its own. */
async function withExample(
  folder: string,
  settings: { readonly PORT: number; readonly [secret: string]: string | number },
  visit: (page: Page) => Promise<void>,
): Promise<void> {
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, `${value}`]))
  const example = await startExample(folder, { SIGNET_ISSUER: signet.issuer, ...env })
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(example.origin)
    await page.getByText('You are not signed in.').waitFor()
    await visit(page)
    // Signed out of the application, and of Signet: the next sign-in asks for the password.
    await page.waitForURL(`${example.origin}/`)
    await page.getByText('You are not signed in.').waitFor()
    const authorize = new URL(`${signet.issuer}/oauth/v2/authorize`)
    authorize.search = String(
      new URLSearchParams({
        client_id: 'web',
        redirect_uri: `http://localhost:${ports.web}/callback`,
        response_type: 'code',
        scope: 'openid',
      }),
    )
    await page.goto(authorize.href)
    await page.waitForSelector('#login-name')
  } finally {
    await context.close()
    await example.stop()
  }
}

async function enterPassword(page: Page): Promise<void> {
  await page.fill('#login-name', 'alice')
  await page.fill('#password', secrets.alicePassword)
  await page.click('#login-submit')
}

async function expectUser(page: Page): Promise<void> {
  await page.getByText('You are signed in').waitFor()
  const shown = await page.locator('pre').textContent()
  expect(shown).toContain('Alice Example')
  expect(shown).toContain('alice@acme.localhost')
}

describe('the example applications sign in, read the user and sign out', {
  timeout: 60_000,
}, () => {
  it('openid-client on a server', () =>
    withExample('web-app', { PORT: ports.web, WEB_SECRET: secrets.webSecret }, async (page) => {
      await page.click('text=Sign in')
      await enterPassword(page)
      await expectUser(page)
      await page.click('text=Sign out')
    }))

  it('oidc-client-ts in a single-page application, which also refreshes across origins', () =>
    withExample('spa', { PORT: ports.spa }, async (page) => {
      await page.click('#sign-in')
      await enterPassword(page)
      await expectUser(page)
      const answered = page.waitForResponse(
        (response) => response.url().endsWith('/oauth/v2/token') && response.request().method() === 'POST',
      )
      await page.click('#refresh')
      const answer = await answered
      expect(answer.request().postData()).toContain('grant_type=refresh_token')
      expect(answer.status()).toBe(200)
      await expectUser(page)
      await page.reload()
      await expectUser(page)
      // The page shows that it is signed out before it leaves for Signet, so only the page after that is the end.
      const back = page.waitForEvent('load', () => page.url() === `http://localhost:${ports.spa}/`)
      await page.click('#sign-out')
      await back
    }))

  it('oidc-client-ts in a pop-up window, and in a hidden frame for those without a refresh token', async () => {
    const example = await startExample('spa', { SIGNET_ISSUER: signet.issuer, PORT: `${ports.spa}` })
    // The policy of the example allows no frame, for it needs none.
    const context = await browser.newContext({ bypassCSP: true })
    try {
      const page = await context.newPage()
      await page.goto(example.origin)
      await page.getByText('You are not signed in.').waitFor()
      await page.evaluate((authority) => {
        const { oidc } = globalThis as unknown as { oidc: typeof import('oidc-client-ts') }
        const settings = { authority, client_id: 'spa', redirect_uri: `${location.origin}/callback` }
        Object.assign(globalThis, { users: new oidc.UserManager(settings) })
      }, signet.issuer)

      const popup = page.waitForEvent('popup')
      const signedIn = page.evaluate('users.signinPopup().then(({ profile }) => profile.sub)')
      await enterPassword(await popup)
      expect(await signedIn).toBe('alice')

      const answered = page.waitForRequest((request) =>
        request.url().startsWith(`${example.origin}/callback`),
      )
      await page.evaluate('void users.signinSilent().catch(() => undefined)')
      expect(new URL((await answered).url()).searchParams.has('code')).toBe(true)
    } finally {
      await context.close()
      await example.stop()
    }
  })

  it('passport-openidconnect with Express', () =>
    withExample(
      'passport',
      { PORT: ports.passport, PASSPORT_SECRET: secrets.passportSecret },
      async (page) => {
        await page.click('text=Sign in')
        await enterPassword(page)
        await expectUser(page)
        await page.click('text=Sign out')
      },
    ))

  it('Auth.js on a plain server', () =>
    withExample('authjs', { PORT: ports.authjs, AUTHJS_SECRET: secrets.authjsSecret }, async (page) => {
      await page.click('text=Sign in')
      await page.click('button:has-text("Signet")')
      await enterPassword(page)
      await expectUser(page)
      await page.click('text=Sign out')
    }))
})

import { openChromium } from '@signet/testing/system/chromium'
import { discover } from '@signet/testing/system/sign-in-journey'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  None,
  randomPKCECodeVerifier,
} from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reader, startReader } from '../src/quick-start.ts'

// The pages of docs/quickstarts and docs/guides, block by block, with the libraries of this checkout. quick-starts.interop.ts
// installs the libraries as the pages say.

let reader: Reader
let browser: Browser

beforeAll(async () => {
  ;[reader, browser] = await Promise.all([startReader(), openChromium()])
  await reader.follow('guides/README.md')
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await reader?.stop()
})

async function onPage(origin: string, visit: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(origin)
    await visit(page)
  } finally {
    await context.close()
  }
}

async function signIn(page: Page): Promise<void> {
  await page.click('text=Sign in')
  await page.fill('#login-name', 'alice')
  await page.fill('#password', reader.alicePassword)
  await page.click('#login-submit')
}

it.each(['applications', 'roles', 'people', 'secrets', 'service-users', 'move-an-organization'])(
  'the commands of the guide %s work as they are written',
  { timeout: 120_000 },
  async (guide) => {
    const { outputs, stop } = await reader.follow(`guides/${guide}.md`)
    await stop()
    expect(outputs.length).toBeGreaterThan(1)
  },
)

describe('a quick start works as it is written', { timeout: 120_000 }, () => {
  it('with curl', async () => {
    const { outputs } = await reader.follow('quickstarts/curl.md', { ports: [4000] })
    expect(outputs.join('\n')).toContain('"active":true')
  })

  it('with Express', async () => {
    const app = await reader.follow('quickstarts/express.md', { ports: [4000] })
    try {
      await onPage(app.origin(4000), async (page) => {
        await signIn(page)
        await page.click('text=Profile')
        await page.getByText('alice@acme.localhost').waitFor()
        await page.goBack()
        await page.click('text=Transfer')
        await page.locator('#enrolment-code').waitFor()
        await page.goto(app.origin(4000))
        await page.click('text=Sign out')
        await page.getByText('Sign in').waitFor()
      })
    } finally {
      await app.stop()
    }
  })

  it('with React', async () => {
    const app = await reader.follow('quickstarts/react.md', { ports: [5173] })
    try {
      await onPage(app.origin(5173), async (page) => {
        await signIn(page)
        await page.getByText('alice@acme.localhost').waitFor()
        await page.click('text=Sign out')
        await page.getByText('Sign in').waitFor()
      })
    } finally {
      await app.stop()
    }
  })

  it('with kubelogin, as far as the ID token that the API server reads', async () => {
    const { outputs } = await reader.follow('quickstarts/kubernetes.md')
    const [, clientId = ''] = /^clientId +(\S+)$/m.exec(outputs.join('\n')) ?? []
    const config = await discover(reader.issuer, clientId, None())
    const verifier = randomPKCECodeVerifier()
    const url = buildAuthorizationUrl(config, {
      redirect_uri: 'http://127.0.0.1:8000/',
      scope: 'openid groups',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const callback = new URL(await reader.signIn(url.href))
    const tokens = await authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier })
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId, groups: ['admin'] })
  })
})

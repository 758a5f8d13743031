import { createHash } from 'node:crypto'
import { pngSample } from '@signet/testing/branding-samples'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  accessibilityProblems,
  authorizePath,
  openPage,
  type RelyingParty,
  startChromiumTests,
  widthOf,
} from './chromium.ts'
import { asOwner, type TestEnvironment } from './setup.ts'
import { openIdProvider } from './upstream-pages.ts'

const LOGO = pngSample({ colour: [1, 2, 3] })
const PATH = `/ui/assets/${createHash('sha256').update(LOGO).digest('hex')}.png`

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined
beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests())
  await asOwner(env.adminUrl, [
    openIdProvider('plain', { name: 'Plain' }),
    openIdProvider('shown', { name: 'Shown as a company with a name that needs two lines' }),
    `UPDATE directory.identity_provider SET logo = '\\x${LOGO.toString('hex')}', logo_media_type = 'image/png' WHERE provider_id = 'shown'`,
    "UPDATE directory.setting SET default_organization_id = 'acme'",
  ])
})
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`

it('shows the picture of a provider on its button, without script and on a small screen', async () => {
  const { page, complaints } = await openPage(chrome, {
    javaScriptEnabled: false,
    viewport: { width: 320, height: 640 },
  })
  await page.goto(at(authorizePath(application)))
  const picture = page.locator('#provider-2 > img')
  expect([await picture.getAttribute('src'), await picture.getAttribute('alt')]).toEqual([PATH, ''])
  expect(await page.locator('#provider-1 > img').count()).toBe(0)
  expect(await picture.boundingBox()).toMatchObject({ width: 24, height: 24 })
  const { width = 0, x = 0 } = (await page.locator('#provider-2').boundingBox()) ?? {}
  expect(x + width).toBeLessThanOrEqual(320)
  expect(complaints).toEqual([])
  await page.context().close()
})

it('keeps the button accessible by its text', async () => {
  const { page } = await openPage(chrome, { viewport: { width: 320, height: 640 } })
  await page.goto(at(authorizePath(application)))
  expect(
    await page.evaluate(() => document.querySelector<HTMLImageElement>('#provider-2 > img')?.naturalWidth),
  ).toBeGreaterThan(0)
  await page
    .getByRole('button', {
      name: 'Sign in with Shown as a company with a name that needs two lines',
      exact: true,
    })
    .waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await widthOf(page)).toBe(320)
  await page.context().close()
})

it('serves the picture under its hash for good, and runs nothing in it', async () => {
  const browser = env.newBrowser()
  const { status, headers } = await browser.get(PATH)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    ...{ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' },
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  })
  expect((await browser.get(PATH.replace('.png', '.svg'))).status).toBe(404)
  await asOwner(env.adminUrl, [
    `UPDATE directory.identity_provider SET logo = NULL, logo_media_type = NULL WHERE provider_id = 'shown'`,
  ])
  const status404 = async () => (await env.newBrowser().get(PATH)).status
  await expect.poll(status404, { timeout: 20_000 }).toBe(404)
})

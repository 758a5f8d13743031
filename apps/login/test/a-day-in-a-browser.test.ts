import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHttpServer } from '@signet/testing/http-server'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment
/** The application. */
let portal: Awaited<ReturnType<typeof startHttpServer>>
let profile: string
let ports: readonly number[]

beforeAll(async () => {
  env = await startTestEnvironment()
  portal = await startHttpServer((_req, res) => {
    res.setHeader('content-type', 'text/html').end('<h1>Portal</h1>')
  })
  await asOwner(env.adminUrl, [
    `UPDATE directory.application SET redirect_uris = '{${portal.url}/callback}' WHERE client_id = 'web'`,
    `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"identifierFirst": true}')`,
  ])
  ports = [env.port, await env.startReplica()]
  profile = await mkdtemp(join(tmpdir(), 'signet-profile-'))
})
afterAll(async () => {
  await env?.stop()
  await portal?.stop()
  if (profile !== undefined) await rm(profile, { recursive: true, force: true })
})

/** Starts Chromium with the profile. */
const openBrowser = (): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath: inject('chromiumPath'),
    args: ['--no-sandbox'],
    javaScriptEnabled: false,
    locale: 'en',
  })

/** The address of a page on the next replica; cookies do not depend on the port. */
let turn = 0
const at = (path: string) => {
  turn += 1
  return `http://localhost:${ports[turn % ports.length]}${path}`
}
const authorize = (more: Readonly<Record<string, string>> = {}) =>
  at(
    `/oauth/v2/authorize?${new URLSearchParams({ ...WEB_REQUEST, redirect_uri: `${portal.url}/callback`, ...more })}`,
  )
const heading = (page: Page) => page.textContent('h1')

it('carries a person with one profile through a day, on two replicas', async () => {
  const morning = await openBrowser()
  const page = await morning.newPage()
  await page.goto(authorize())
  const bookmark = page.url()
  await page.fill('#login-name', 'user1')
  await page.click('#login-submit')
  // Enter in the address bar: the second page stays the second page.
  await page.goto(page.url())
  expect(await page.inputValue('#login-name')).toBe('user1')
  await page.reload()
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
  await page.waitForURL(`${portal.url}/callback**`)
  expect(await heading(page)).toBe('Portal')

  // Back and the bookmark of the sign-in page lead on to the application.
  await page.goBack()
  await page.goto(bookmark)
  expect(await heading(page)).toBe('This page is no longer needed')
  expect(await page.textContent('#way-on')).toContain('Continue to Portal <web>')
  await page.reload()
  await page.click('#way-on')
  expect(page.url()).toBe(`${portal.url}/`)
  await page.goto(at('/ui/login'))
  expect(await page.getAttribute('#account-open', 'href')).toBe('/ui/account')
  expect(await page.getAttribute('#applications-open', 'href')).toBe('/ui/applications')
  await morning.close()

  const noon = await openBrowser()
  const again = await noon.newPage()
  await again.goto(authorize())
  expect(await heading(again), 'the session outlived the browser').toBe('Portal')

  // Twenty tabs at once, each with a request that asks for the password again.
  const tabs = await Promise.all(Array.from({ length: 20 }, () => noon.newPage()))
  await Promise.all(tabs.map((tab) => tab.goto(authorize({ prompt: 'login' }))))
  for (const tab of tabs) {
    await tab.fill('#password', PASSWORD)
    await tab.click('#login-submit')
    await tab.waitForURL(`${portal.url}/callback**`)
  }

  await again.goto(at('/ui/logout'))
  await again.click('#logout-confirm')
  expect(await heading(again)).toBe('You are signed out')
  await again.goto(authorize())
  expect(await again.locator('#login-name').count()).toBe(1)
  await noon.close()
}, 180_000)

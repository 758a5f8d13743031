import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import { type RelyingParty, startRelyingParty } from './fixtures/relying-party.ts'

let world: LoginWorld
let application: RelyingParty
let chrome: Browser

beforeAll(async () => {
  world = await startLoginWorld()
  application = await startRelyingParty()
  chrome = await chromium.launch({ executablePath: inject('chromiumPath'), args: ['--no-sandbox'] })
})
afterAll(async () => {
  await chrome?.close()
  await application?.stop()
  await world?.stop()
})

const origin = () => `http://localhost:${world.port}`

function authorizeUrl(parameters: Record<string, string> = {}): string {
  const request = {
    client_id: 'native',
    redirect_uri: application.callback,
    response_type: 'code',
    scope: 'openid',
    state: 'st',
    ...parameters,
  }
  return `${origin()}/oauth/v2/authorize?${new URLSearchParams(request)}`
}

/** A page and everything its browser complained about: policy violations, missing files, script errors. */
async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await chrome.newContext(options)).newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(error.message))
  return { page, complaints }
}

async function signIn(page: Page): Promise<void> {
  await page.fill('#login-name', 'alice')
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
  await page.waitForSelector('#arrived')
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it('F-15: signs in to an application of another origin that redirects on to a third', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    expect(await page.textContent('body')).toContain('Sign in')
    await signIn(page)
    expect(application.answers.at(-1)?.parameters).toMatchObject({ state: 'st', iss: world.issuer })
    expect(complaints).toEqual([])
  })

  it('signs out after a confirmation', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    await page.goto(`${origin()}/oidc/v1/end_session`)
    await page.click('#logout-confirm')
    await page.waitForURL(/\/ui\/logout\/done$/)
    expect(await page.textContent('body')).toContain('You are signed out')
    await page.goto(authorizeUrl())
    expect(await page.isVisible('#login-name')).toBe(true)
    expect(complaints).toEqual([])
  })

  it('OAuth 2.0 Form Post Response Mode: brings the answer by POST', async () => {
    const { page, complaints } = await open({ javaScriptEnabled })
    await page.goto(authorizeUrl())
    await signIn(page)
    await page.goto(authorizeUrl({ response_mode: 'form_post', state: 'posted' }))
    if (!javaScriptEnabled) await page.click('#form-post-submit')
    await page.waitForSelector('#arrived')
    expect(application.answers.at(-1)).toMatchObject({ method: 'POST', parameters: { state: 'posted' } })
    expect(complaints).toEqual([])
  })
})

it('the page can be used by keyboard alone, the cursor waiting in the first empty field', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await page.waitForSelector('#login-name:focus')
  await page.keyboard.type('alice')
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=alert]')
  await page.waitForSelector('#password:focus')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#arrived')
})

it('no page scrolls sideways on a screen of 320 pixels, and the stylesheet is applied', async () => {
  const { page } = await open({ viewport: { width: 320, height: 640 } })
  const rejected = `${origin()}/oauth/v2/authorize?client_id=web&redirect_uri=https://evil.localhost`
  for (const url of [
    authorizeUrl(),
    `${origin()}/oidc/v1/end_session`,
    `${origin()}/ui/logout/done`,
    rejected,
  ]) {
    await page.goto(url)
    const { width, display } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      display: getComputedStyle(document.body).display,
    }))
    expect({ url, width, display }).toEqual({ url, width: 320, display: 'grid' })
  }
})

it('the way back after a sign-in shows no form that would be refused', async () => {
  const { page } = await open()
  await page.goto(authorizeUrl())
  await signIn(page)
  await page.goBack()
  expect(await page.textContent('body')).toContain('Return to the application')
})

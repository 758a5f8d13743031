import { openChromium } from '@signet/testing/system/chromium'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, bootstrapDocument, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildConsole } from './console-page.ts'

const FRAME = '/console/api-reference/index.html'

let system: InProcessSystem
let chrome: Browser
let context: BrowserContext
/** Requests of all pages and frames, by method and address. */
const requested: string[] = []
/** Errors of scripts, and loads that a policy refuses. */
const problems: string[] = []

beforeAll(async () => {
  buildConsole()
  const directory = bootstrapDocument()
  const owner = {
    ...{ id: 'owner', userName: 'owner', password: PASSWORD, roles: ['IAM_OWNER'] },
    profile: { givenName: 'The', familyName: 'owner', displayName: 'The owner' },
  }
  directory.organizations[0]?.users.push(owner as never)
  ;[system, chrome] = await Promise.all([
    startSystem({ mode: 'in-process', document: directory }),
    openChromium(),
  ])
  const application = {
    ...{ id: 'console', projectId: 'portal', clientId: 'signet-console', name: 'Console' },
    ...{ type: 'userAgent', firstParty: true, mayCallApi: true, dpopBoundAccessTokens: true },
    redirectUris: [`${system.issuer}/console/callback`],
  }
  expect((await system.manage('POST', '/applications', application)).status).toBe(201)
  context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en' })
  context.setDefaultTimeout(45_000)
  context.on('request', (request) => requested.push(`${request.method()} ${request.url()}`))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      // It becomes an error of the page.
      setTimeout(() => {
        throw new Error(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`)
      })
    })
  })
}, 180_000)
afterEach(() => {
  expect(problems.splice(0)).toEqual([])
})
afterAll(async () => {
  await chrome?.close()
  await system?.stop()
})

/** Opens a page of the console as the owner. */
async function open(path: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(`${system.issuer}/console${path}`)
  await page.waitForSelector('#login-name, main h1')
  if ((await page.locator('#login-name').count()) > 0) {
    await page.fill('#login-name', 'owner')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('main h1')
  }
  return page
}

/** The frame of the page, at its operation. */
async function openReference(operationId: string, heading: string) {
  const page = await open(`/reference?operationId=${operationId}`)
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: heading }).first().waitFor({ timeout: 60_000 })
  return { page, frame, inside: page.frames().find((found) => found.url().includes(FRAME)) as Frame }
}

type Reference = Awaited<ReturnType<typeof openReference>>

/** Opens the form that sends a request of an operation. */
async function tryIt({ frame }: Reference, method: string, path: string) {
  await frame.getByRole('button', { name: new RegExp(`Test Request.*${method} ${path}\\)?$`, 'i') }).click()
  const form = frame.getByRole('dialog')
  const send = form.getByRole('button', { name: /^Send/ }).first()
  await send.waitFor()
  return { form, send: () => send.click() }
}

const LIST = 'Lists people and service users'
const USERS = '/management/v1/users'
const calls = (from: number) => requested.slice(from).filter((call) => !/GET .*\/console\//.test(call))

describe('the API reference', () => {
  it('searches operations, and asks no other origin for anything', async () => {
    const { page, frame } = await openReference('user.list', LIST)
    await frame.getByRole('button', { name: 'Search' }).first().click()
    await page.keyboard.type('client secret')
    const name = 'Gives an application a new client secret'
    await frame.getByRole('option', { name }).click()
    await frame.getByRole('heading', { name }).first().waitFor()
    // Its hints and choices are written into the page as markup.
    await frame.getByRole('button', { name: 'Copy as Markdown' }).first().hover()
    await frame.getByRole('button', { name: /Curl/ }).first().click()
    await page.keyboard.press('Escape')
    expect(requested.length).toBeGreaterThan(20)
    const elsewhere = (call: string) => !call.includes(` ${system.issuer}/`) && !/ (data|blob):/.test(call)
    expect(requested.filter(elsewhere)).toEqual([])
    await page.close()
  }, 120_000)

  it('sends nothing without a token and without the word of the administrator', async () => {
    const reference = await openReference('user.list', LIST)
    const { form, send } = await tryIt(reference, 'get', USERS)
    const from = requested.length
    await send()
    await form.getByText('Paste a token').first().waitFor()
    expect(calls(from)).toEqual([])
    await reference.page.close()
  }, 120_000)

  it('sends a pasted token in its header alone, and nothing of the session', async () => {
    const reference = await openReference('user.list', LIST)
    const { page, inside } = reference
    const { form, send } = await tryIt(reference, 'get', USERS)
    await form.getByPlaceholder('Token').fill(ADMIN_TOKEN)
    const sent = page.waitForRequest((request) => request.url().includes(`${USERS}?`))
    const from = requested.length
    await send()
    const dialog = page.getByRole('dialog', { name: 'Send the request' })
    await dialog.getByText(`authorization: Bearer …${ADMIN_TOKEN.slice(-4)}`).waitFor()
    expect(calls(from)).toEqual([])
    await dialog.getByRole('button', { name: 'Send the request' }).click()
    const { authorization, dpop, cookie } = await (await sent).allHeaders()
    expect([authorization, dpop, cookie]).toEqual([`Bearer ${ADMIN_TOKEN}`, undefined, undefined])
    await form.getByText('200 OK').first().waitFor()
    // A token that was allowed reads without a question.
    const again = page.waitForRequest((request) => request.url().includes(`${USERS}?`))
    await send()
    await again
    expect(requested.filter((call) => call.includes(ADMIN_TOKEN))).toEqual([])
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect([stored.includes(ADMIN_TOKEN), inside.url().includes(ADMIN_TOKEN)]).toEqual([false, false])
    const other = await openReference('user.list', LIST)
    const otherTry = await tryIt(other, 'get', USERS)
    expect(await otherTry.form.getByPlaceholder('Token').inputValue()).toBe('')
    await Promise.all([page.close(), other.page.close()])
  }, 120_000)

  it('reads with the session that the administrator allows, and asks them before each change', async () => {
    const reading = await openReference('user.list', LIST)
    await reading.page.getByLabel('Send requests as The owner').check()
    const shown = await tryIt(reading, 'get', USERS)
    await shown.send()
    await shown.form.getByText('200 OK').first().waitFor()
    await reading.page.close()

    const changing = await openReference('project.create', 'Creates a project')
    const { page } = changing
    await page.getByLabel('Send requests as The owner').check()
    const { form, send } = await tryIt(changing, 'post', '/management/v1/projects')
    const from = requested.length
    await send()
    const dialog = page.getByRole('dialog', { name: 'Send the request' })
    await dialog.getByText('POST /management/v1/projects').waitFor()
    await dialog.getByRole('button', { name: 'Do not send' }).click()
    await form.getByText('You did not send this request.').first().waitFor()
    expect(calls(from)).toEqual([])
    await send()
    const sent = page.waitForRequest((request) => request.url().endsWith('/management/v1/projects'))
    await dialog.getByRole('button', { name: 'Send the request' }).click()
    const { authorization, dpop } = await (await sent).allHeaders()
    expect([authorization?.split(' ')[0], typeof dpop]).toEqual(['DPoP', 'string'])
    await form.getByText('201 Created').first().waitFor()
    await page.close()
  }, 120_000)
})

describe('the frame of the API reference', () => {
  it('has no origin, no cookie, no storage of the browser and no way to the network', async () => {
    const { page, inside } = await openReference('user.list', LIST)
    const found = await inside.evaluate(async () => {
      const refused = async (work: () => unknown) => {
        try {
          await work()
          return 'allowed'
        } catch (error) {
          return (error as Error).name
        }
      }
      return {
        origin: window.origin,
        cookies: await refused(() => document.cookie),
        page: await refused(() => window.parent.document),
        api: await refused(() => fetch('/management/v1/openapi.json')),
        elsewhere: await refused(() => fetch('https://example.com/')),
      }
    })
    expect(found).toEqual({
      ...{ origin: 'null', cookies: 'SecurityError', page: 'SecurityError' },
      ...{ api: 'TypeError', elsewhere: 'TypeError' },
    })
    // The page around it lets it go to no other place.
    await inside.evaluate(() => window.location.assign('https://example.com/'))
    await expect.poll(() => problems.join()).toContain('frame-src')
    expect(requested.filter((call) => call.includes('example.com'))).toEqual([])
    await expect
      .poll(() => problems.filter((problem) => problem.includes('policy: connect-src')).length)
      .toBe(2)
    await page.close()
    problems.length = 0
  }, 120_000)

  it('is without rights where it is opened by its address, too', async () => {
    const folder = FRAME.slice(0, -'/index.html'.length)
    for (const path of [FRAME, folder, `${folder}/`, `${folder}?x=1`, '/console/api%2Dreference']) {
      const { headers } = await system.fetch(path, { headers: { 'accept-encoding': 'br' } })
      expect([path, headers.get('content-security-policy')?.split('; ').slice(0, 3)]).toEqual([
        path,
        [
          'sandbox allow-scripts',
          "default-src 'none'",
          `script-src ${system.issuer}/console/api-reference/assets/`,
        ],
      ])
    }
    const page = await context.newPage()
    await page.goto(`${system.issuer}${FRAME}`)
    expect(await page.evaluate(() => window.origin)).toBe('null')
    await page.close()
  })

  it('loads at most 850 kB, which no other page of the console loads', async () => {
    const loaded = new Set<string>()
    const note = ({ pathname }: URL) => pathname.startsWith('/console/api-reference/') && loaded.add(pathname)
    context.on('request', (request) => void note(new URL(request.url())))
    const other = await open('/people')
    await other.getByRole('row').first().waitFor()
    expect([...loaded]).toEqual([])
    const { page } = await openReference('user.list', LIST)
    const sizes = await Promise.all(
      [...loaded].map(async (path) => {
        const answer = await fetch(`${system.issuer}${path}`, { headers: { 'accept-encoding': 'gzip' } })
        return Number(answer.headers.get('content-length'))
      }),
    )
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(850_000)
    await Promise.all([page.close(), other.close()])
  }, 120_000)
})

// Makes the pictures of the guides: `pnpm --filter @signet/e2e pictures`. It starts Signet as `npm start` does, and takes
// pages of it with Chromium. With names of pictures, `pictures act-as acting`, it writes these alone.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDataDirectory } from '@signet/testing/system/installation'
import { runStandalone } from '@signet/testing/system/standalone-system'
import { ADMIN_TOKEN, bootstrapDocument, PASSWORD, REDIRECT_URI } from '@signet/testing/system/test-directory'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const FOLDER = fileURLToPath(new URL('../../docs/images/pages/', import.meta.url))
const CONSOLE_FOLDER = fileURLToPath(new URL('../../docs/images/console/', import.meta.url))
const SCREEN = { width: 1080, height: 720 }
const WIDE = { width: 720, height: 480 }
const NARROW = { width: 360, height: 640 }

/** A mark of two shapes, as an organization could upload it. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 64" width="160" height="64">
<circle cx="32" cy="32" r="24" fill="#0b6e4f"/><rect x="72" y="20" width="76" height="24" rx="4" fill="#f2a541"/></svg>`
const COLOURS = { primaryColor: '#0b6e4f', backgroundColor: '#fffdf7', fontColor: '#22301f' }

/** The pages of the console, by the names of their pictures. */
const CONSOLE_PAGES = {
  home: '/',
  people: '/people',
  person: '/people/bob',
  applications: '/applications',
  'new-application': '/applications/new?kind=web',
  application: '/applications/web',
  projects: '/projects',
  project: '/projects/portal',
  organizations: '/organizations',
  organization: '/organizations/acme',
  why: '/why?user=bob&application=web',
  audit: '/audit',
  jobs: '/jobs',
  import: '/jobs/import',
  keys: '/keys',
  instance: '/instance',
  operations: '/operations',
  operation: '/operations/user.create',
}

/** How each page of the console is shown; the first one without an addition to the name. */
const CONSOLE_LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  '': { viewport: SCREEN, locale: 'en' },
  '-dark': { viewport: SCREEN, locale: 'en', colorScheme: 'dark' },
  '-narrow-german': { viewport: { width: 390, height: 720 }, locale: 'de' },
}

const named = process.argv.slice(2)
const isWanted = (name: string) => named.length === 0 || named.includes(name)

await mkdir(FOLDER, { recursive: true })
await mkdir(CONSOLE_FOLDER, { recursive: true })
const data = await createDataDirectory()
const signet = await runStandalone({ mode: 'standalone', document: bootstrapDocument(), data })
const browser = await chromium.launch({
  executablePath: process.env.SIGNET_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
})
try {
  await takeAll()
  await takeFirstPage()
} finally {
  await browser.close()
  await signet.stop()
  await data.remove()
}

async function takeAll(): Promise<void> {
  await take('sign-in', {}, authorize)
  await take('sign-in-dark-arabic', { viewport: NARROW, colorScheme: 'dark', locale: 'ar-EG' }, authorize)
  await take('account', {}, async (page) => {
    await signIn(page)
    await page.goto(`${signet.issuer}/ui/account`)
  })
  await take('second-factors', {}, async (page) => {
    await signIn(page)
    await page.goto(`${signet.issuer}/ui/account/factors`)
  })
  await take('passkeys', {}, async (page) => {
    await signIn(page)
    await page.goto(`${signet.issuer}/ui/passkeys`)
  })
  const acme = '/management/v1/organizations/acme/policies'
  await manage(`${acme}/label`, COLOURS)
  await manage(`${acme}/label/files/logo`, { content: Buffer.from(LOGO).toString('base64') })
  await manage(`${acme}/privacy`, { privacyLink: 'https://acme.example/privacy' })
  await take('branding', {}, async (page) => {
    // A change is effective within a second.
    do await authorize(page)
    while ((await page.locator('main img').count()) === 0)
  })
}

/** The page at the issuer after the first `npm start`, whose commands have the port 8080. */
async function takeFirstPage(): Promise<void> {
  const data = await createDataDirectory()
  const env = { SIGNET_PORT: '8080' }
  const sample = await runStandalone({ mode: 'standalone', document: 'sample', env, data })
  try {
    const firstRun = await readFile(join(data.path, 'first-run.txt'), 'utf8')
    const [, password = ''] = /\balice +(\S+)/.exec(firstRun) ?? []
    await take('first-page', {}, async (page) => {
      await signIn(page, sample.issuer, password)
      await page.goto(`${sample.issuer}/`)
    })
    await takeConsole(sample.issuer, firstRun, password)
  } finally {
    await sample.stop()
    await data.remove()
  }
}

/** Every page of the console in every look, as the owner of an instance with the sample data. */
async function takeConsole(issuer: string, firstRun: string, password: string): Promise<void> {
  const [, token = ''] = /token +administrator (\S+)/.exec(firstRun) ?? []
  const made = await fetch(`${issuer}/management/v1/members/alice`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ roles: ['IAM_OWNER', 'IAM_END_USER_IMPERSONATOR'] }),
  })
  if (!made.ok) throw new Error(`alice did not become IAM_OWNER: ${made.status}`)
  await allowActing(issuer, token)
  for (const [look, options] of Object.entries(CONSOLE_LOOKS)) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${issuer}/console/`)
    await page.fill('#login-name', 'alice')
    await page.fill('#password', password)
    await page.click('#login-submit')
    await page.waitForSelector('main h1')
    for (const [name, path] of Object.entries(CONSOLE_PAGES)) {
      if (!isWanted(name)) continue
      await page.goto(`${issuer}/console${path}`)
      await page.waitForSelector('main h1')
      // Until every part of the page is there.
      await page.waitForFunction(
        () => !/Loading…|Wird geladen/.test(document.querySelector('main')?.textContent ?? ''),
      )
      await takeConsolePage(page, name, look)
    }
    if (isWanted('act-as') || isWanted('acting'))
      await takeActing(context, page, { issuer, look, locale: options.locale })
    await context.close()
  }
}

function takeConsolePage(page: Page, name: string, look: string): Promise<unknown> {
  return page.screenshot({ path: `${CONSOLE_FOLDER}${name}${look}.jpg`, type: 'jpeg', quality: 60 })
}

/** Lets administrators with a role for it act as the people of every organization of the sample. */
async function allowActing(issuer: string, token: string): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const answer = await fetch(issuer + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  await call('PATCH', '/v2/policies/security', { enableImpersonation: true })
  const { organizationId } = await call('GET', '/management/v1/users/bob')
  const path = `/management/v1/organizations/${organizationId}/policies/login`
  await call('PATCH', path, { allowImpersonation: true })
}

/** The dialog in which an administrator gives the reason, and a page with the banner. */
async function takeActing(
  context: BrowserContext,
  page: Page,
  {
    issuer,
    look,
    locale = 'en',
  }: { readonly issuer: string; readonly look: string; readonly locale?: string },
): Promise<void> {
  const file = new URL(`../../apps/console/src/texts/${locale}.json`, import.meta.url)
  const texts: Readonly<Record<string, string>> = JSON.parse(await readFile(file, 'utf8'))
  await page.goto(`${issuer}/console/people/bob`)
  await page.getByRole('button', { name: texts.impersonate }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('textarea, input[type="text"]').first().fill('Ticket 4711: the report stays empty')
  await takeConsolePage(page, 'act-as', look)
  await dialog.getByRole('button', { name: texts.impersonate }).click()
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: texts['impersonate.open'] }).click(),
  ])
  await opened.locator('main form button[type="submit"]').first().click()
  await opened.locator('#impersonation-banner').waitFor()
  await takeConsolePage(opened, 'acting', look)
  await opened.locator('#impersonation-end').click()
  await opened.locator('#impersonation-banner').waitFor({ state: 'detached' })
}

/** Opens a page in a new browser and writes its picture. */
async function take(
  name: string,
  options: BrowserContextOptions,
  reach: (page: Page) => Promise<unknown>,
): Promise<void> {
  if (!isWanted(name)) return
  const context = await browser.newContext({ viewport: WIDE, ...options })
  const page = await context.newPage()
  await reach(page)
  await page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: true })
  await context.close()
}

function authorize(page: Page): Promise<unknown> {
  const scope = 'openid urn:service:iam:org:id:acme'
  const request = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope }
  return page.goto(`${signet.issuer}/oauth/v2/authorize?${new URLSearchParams(request)}`)
}

/** To the own account, which needs no application. */
async function signIn(page: Page, issuer = signet.issuer, password = PASSWORD): Promise<void> {
  await page.goto(`${issuer}/ui/account`)
  await page.fill('#login-name', 'alice')
  await page.fill('#password', password)
  await page.click('#login-submit')
  await page.waitForSelector('#account-login-name')
}

/** Rejects when the management API refuses the body. */
async function manage(path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${signet.issuer}${path}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

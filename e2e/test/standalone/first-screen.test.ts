import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { SAMPLE_APPLICATIONS, SAMPLE_FILE } from '@signet/dev-stack/installation/sample'
import { openChromium } from '@signet/testing/system/chromium'
import { startSystem } from '@signet/testing/system/start-system'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'

// The pages that a developer sees after `npm start`: the one at the issuer, and the mailbox.

let system: Awaited<ReturnType<typeof startSystem>>
let chrome: Browser
let firstRun: string

beforeAll(async () => {
  ;[system, chrome] = await Promise.all([
    startSystem({ mode: 'standalone', document: 'sample' }),
    openChromium(),
  ])
  firstRun = await readFile(join(system.data.path, 'first-run.txt'), 'utf8')
}, 180_000)

afterAll(async () => {
  await chrome?.close()
  await system?.stop()
})

const printed = (name: string) => new RegExp(`\\b${name} +(\\S+)`).exec(firstRun)?.[1] ?? ''

/** Opens a page of 320 pixels without JavaScript. */
async function onPage(path: string, visit: (page: Page) => Promise<void>): Promise<void> {
  const context = await chrome.newContext({
    viewport: { width: 320, height: 640 },
    javaScriptEnabled: false,
  })
  try {
    const page = await context.newPage()
    await page.goto(`${system.issuer}${path}`)
    await visit(page)
  } finally {
    await context.close()
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function problemsOf(path: string): Promise<readonly unknown[]> {
  const page = await chrome.newPage({ viewport: { width: 320, height: 640 } })
  await page.goto(`${system.issuer}${path}`)
  await page.evaluate(AXE)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)
  })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  await page.close()
  return [...found, ...(width > 320 ? [`${width} pixels wide`] : [])]
}

/** Has the suite send a message to the person. */
async function ask(path: string): Promise<void> {
  const headers = { authorization: `Bearer ${printed('administrator')}` }
  const answer = await fetch(`${system.issuer}/management/v1/${path}`, { method: 'POST', headers })
  expect(answer.ok, await answer.text()).toBe(true)
}

it('the first page names the account, the mailbox, the sample applications and the next command', async () => {
  await onPage('/', async (page) => {
    await page.click('#first-sign-in')
    await page.fill('#login-name', 'alice')
    await page.fill('#password', printed('alice'))
    await page.click('#login-submit')
    await page.goto(`${system.issuer}/`)
    expect(await page.textContent('.first-account')).toBe('Signed in as alice@acme.localhost')
    const steps = (await page.textContent('#first-steps')) ?? ''
    for (const { url, command } of SAMPLE_APPLICATIONS) expect(steps).toContain(`${url}${command}`)
    expect(steps).toContain(`npm run signet -- login --issuer ${system.issuer}`)
    expect(await page.getAttribute('#first-console', 'href')).toBe('/console/')
    await page.click('#first-mailbox')
    expect(await page.textContent('h1')).toBe('Mailbox')
  })
})

it('the sample applications of the first page have a client of the sample each', async () => {
  const { organizations } = parse(await readFile(SAMPLE_FILE, 'utf8'))
  const [{ projects }] = organizations
  const origins = new Map<string, string>(
    projects
      .flatMap(
        ({ applications }: { applications: { name: string; redirectUris?: string[] }[] }) => applications,
      )
      .flatMap(({ name, redirectUris: [uri] = [] }: { name: string; redirectUris?: string[] }) =>
        // The console is at the issuer itself.
        uri?.startsWith('http://localhost') && !uri.includes('/console/')
          ? [[name, new URL(uri).origin]]
          : [],
      ),
  )
  expect(new Map(SAMPLE_APPLICATIONS.map(({ name, url }) => [name, url]))).toEqual(origins)
})

it('the mailbox shows when each message came, and those of one recipient', async () => {
  await ask('users/alice/password-reset')
  await ask('users/bob/password-reset')
  // A notice of the sign-in may be there, too.
  const received = async (to: string) =>
    (await (await fetch(`${system.issuer}/ui/mailbox?to=${to}`)).text()).split('<article').length - 1
  await expect.poll(() => received('bob')).toBe(1)
  await expect.poll(() => received('alice')).toBeGreaterThan(0)
  await onPage('/ui/mailbox', async (page) => {
    const time = Date.parse((await page.getAttribute('.message time', 'datetime')) ?? '')
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
    await page.fill('#mailbox-to', 'BOB@')
    await page.click('button')
    expect(await page.locator('.message').count()).toBe(1)
    expect(await page.textContent('.message')).toContain('bob@acme.localhost')
    expect(await page.textContent('#mailbox-count')).toMatch(/Messages: 1 of [23]\./)
  })
})

it.each(['/', '/ui/mailbox', '/ui/mailbox?to=nobody'])(
  'the page %s has no axe-core violations and fits 320 pixels',
  async (path) => {
    expect(await problemsOf(path)).toEqual([])
  },
)

import { createHash } from 'node:crypto'
import { fontSample, pngSample } from '@signet/testing/branding-samples'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  contrastProblems,
  openPage,
  type RelyingParty,
  startChromiumTests,
  widthOf,
} from './chromium.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, type TestEnvironment, WEB_REQUEST } from './setup.ts'

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const png = (red: number) => pngSample({ colour: [red, 0, 0] })
const FONT = fontSample()
const MEDIA_TYPES: Readonly<Record<string, string>> = { font: 'font/woff2' }
/** The files of each organization. `light` and `dark` always have one scheme; `quiet` hides the product. */
const FILES: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  acme: { logo: png(1), 'logo-dark': png(2), icon: png(3), 'icon-dark': png(4), font: FONT },
  globex: { logo: png(5) },
  light: { logo: png(6), 'logo-dark': png(7), icon: png(8), 'icon-dark': png(9) },
  dark: { logo: png(10), 'logo-dark': png(11), icon: png(12) },
  quiet: { logo: pngSample({ width: 2048, height: 90 }) },
  onlydark: { 'logo-dark': png(13) },
}
const POLICIES: Readonly<Record<string, object>> = {
  acme: { primaryColor: '#0b6e4f' },
  light: { themeMode: 'THEME_MODE_LIGHT', primaryColorDark: '#ffff00' },
  dark: { themeMode: 'THEME_MODE_DARK', primaryColor: '#00ff00', primaryColorDark: '#ffff00' },
  quiet: { disableWatermark: true },
  nameless: { disableWatermark: true },
}
const OTHERS = ['light', 'dark', 'quiet', 'onlydark', 'nameless', 'plain']
const NAMES: Readonly<Record<string, string>> = { nameless: '"><b>Nameless</b>' }

const pathOf = (organization: string, kind: string) => {
  const content = FILES[organization]?.[kind] ?? Buffer.alloc(0)
  return `/ui/assets/${sha256(content)}.${kind === 'font' ? 'woff2' : 'png'}`
}

let env: TestEnvironment
let application: RelyingParty
let chrome: Browser
let stop: (() => Promise<void>) | undefined

const fileRow = (organization: string, kind: string, content: Buffer) =>
  `INSERT INTO directory.branding_file (organization_id, kind, media_type, content)
   VALUES ('${organization}', '${kind}', '${MEDIA_TYPES[kind] ?? 'image/png'}', '\\x${content.toString('hex')}')`

beforeAll(async () => {
  ;({ env, application, chrome, stop } = await startChromiumTests({ directoryServices: [fakeOwnAccounts] }))
  await asOwner(env.adminUrl, [
    ...OTHERS.flatMap((id) => [
      `INSERT INTO directory.organization (organization_id, name, primary_domain)
       VALUES ('${id}', '${NAMES[id] ?? `Name of ${id}`}', '${id}.localhost')`,
      `INSERT INTO directory.organization_domain VALUES ('${id}', '${id}.localhost', true)`,
    ]),
    ...Object.entries(POLICIES).map(
      ([id, policy]) =>
        `INSERT INTO directory.organization_policy VALUES ('${id}', 'label', '${JSON.stringify(policy)}')`,
    ),
    ...Object.entries(FILES).flatMap(([id, files]) =>
      Object.entries(files).map(([kind, content]) => fileRow(id, kind, content)),
    ),
  ])
})
beforeEach(() => env.redis.flushdb())
afterAll(() => stop?.())

const at = (path: string) => `http://localhost:${env.port}${path}`
const scopeOf = (organization: string) => `openid urn:service:iam:org:id:${organization}`
const signInPath = (organization: string) =>
  `/oauth/v2/authorize?${new URLSearchParams({ ...WEB_REQUEST, scope: scopeOf(organization) })}`
const markupOf = async (organization: string) =>
  (await env.authorize(env.newBrowser(), { scope: scopeOf(organization) })).body

/** The path of the logo that the browser shows, once it is loaded. */
function logoOf(page: Page) {
  return page.evaluate(async () => {
    const image = document.querySelector<HTMLImageElement>('.logo img')
    if (image === null) return undefined
    await image.decode()
    return { path: new URL(image.currentSrc).pathname, alt: image.alt, height: image.height > 0 }
  })
}

const iconsOf = (page: Page) =>
  page
    .locator('link[rel=icon]')
    .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('media')]))

/** The background of the card and of the button, which tell the scheme. */
const schemeOf = (page: Page) =>
  page.evaluate(() => {
    const colourOf = (selector: string) =>
      getComputedStyle(document.querySelector(selector) as Element).backgroundColor
    return { card: colourOf('main'), button: colourOf('#login-submit') }
  })

const LIGHT_CARD = 'rgb(255, 255, 255)'
const DARK_CARD = 'rgb(26, 33, 45)'

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_what, javaScriptEnabled) => {
  it('shows the logo of the organization, for light and dark browsers', async () => {
    const { page, complaints } = await openPage(chrome, { javaScriptEnabled })
    await page.goto(at(signInPath('acme')))
    const shown = { alt: 'ACME', height: true }
    expect(await logoOf(page)).toEqual({ ...shown, path: pathOf('acme', 'logo') })
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => logoOf(page)).toEqual({ ...shown, path: pathOf('acme', 'logo-dark') })
    expect(await iconsOf(page)).toEqual([
      [pathOf('acme', 'icon'), '(prefers-color-scheme: light)'],
      [pathOf('acme', 'icon-dark'), '(prefers-color-scheme: dark)'],
    ])
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('a page with a logo', () => {
  it('has the policy of other pages, and may load fonts of this origin when it has one', async () => {
    const policyOf = async (organization: string) => {
      const { headers } = await env.authorize(env.newBrowser(), { scope: scopeOf(organization) })
      return String(headers['content-security-policy']).replaceAll(/nonce-[\w-]+/g, '')
    }
    const plain = await policyOf('plain')
    expect(plain).not.toContain('font-src')
    expect(await policyOf('globex')).toBe(plain)
    expect(await policyOf('acme')).toBe(plain.replace('style-src', "font-src 'self'; style-src"))
  })

  it('has the name of the product at its end, and one without a logo at its beginning', async () => {
    expect(await markupOf('acme')).toMatch(
      /<p class="product quiet">Signet<\/p>\s*<details class="languages">/,
    )
    expect(await markupOf('acme')).not.toContain('class="brand')
    expect(await markupOf('plain')).toContain('<main>\n<p class="brand">Signet</p>')
    expect(await markupOf('plain')).not.toMatch(/class="(logo|product)|\/ui\/assets\/[0-9a-f]{64}/)
  })

  it.each(['acme', 'quiet', 'dark', 'nameless'])(
    'has no axe-core violations, light or dark, and fits 320 pixels: %s',
    async (organization) => {
      const { page } = await openPage(chrome)
      await page.goto(at(signInPath(organization)))
      expect(await accessibilityProblems(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await contrastProblems(page)).toEqual([])
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await widthOf(page)).toBe(320)
      await page.context().close()
    },
  )

  it('shows the logo of one scheme in both when there is one only', async () => {
    const { page } = await openPage(chrome)
    for (const [organization, kind] of [
      ['globex', 'logo'],
      ['onlydark', 'logo-dark'],
    ] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(at(signInPath(organization)))
        expect((await logoOf(page))?.path).toBe(pathOf(organization, kind))
      }
    }
    await page.context().close()
  })

  it('is also an account page of a member of the organization', async () => {
    const { page, complaints } = await openPage(chrome)
    const request = { ...WEB_REQUEST, client_id: 'native', redirect_uri: application.callback }
    await page.goto(at(`/oauth/v2/authorize?${new URLSearchParams(request)}`))
    await page.fill('#login-name', 'user1')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('#app')
    await page.goto(at('/ui/account'))
    expect((await logoOf(page))?.path).toBe(pathOf('acme', 'logo'))
    expect(await accessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('has the files of its own organization only', async () => {
    for (const organization of Object.keys(FILES)) {
      const markup = await markupOf(organization)
      const used = new Set(markup.match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g))
      const own = Object.values(FILES[organization] ?? {}).map(sha256)
      expect([...used].filter((hash) => !own.includes(hash))).toEqual([])
      expect(used.size).toBeGreaterThan(0)
    }
  })
})

describe('themeMode', () => {
  it.each([
    ['light', 'light', { card: LIGHT_CARD, button: 'rgb(29, 78, 216)' }, 'logo', 'icon'],
    ['dark', 'dark', { card: DARK_CARD, button: 'rgb(255, 255, 0)' }, 'logo-dark', 'icon'],
  ] as const)('shows %s pages to every browser', async (organization, scheme, colours, logo, icon) => {
    const { page, complaints } = await openPage(chrome, { javaScriptEnabled: false })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(at(signInPath(organization)))
      expect(await schemeOf(page)).toEqual(colours)
      expect((await logoOf(page))?.path).toBe(pathOf(organization, logo))
      expect(await iconsOf(page)).toEqual([[pathOf(organization, icon), null]])
      expect(await page.getAttribute('meta[name=color-scheme]', 'content')).toBe(scheme)
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('lets the browser choose by default', async () => {
    const { page } = await openPage(chrome)
    for (const [colorScheme, card] of [
      ['light', LIGHT_CARD],
      ['dark', DARK_CARD],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(at(signInPath('plain')))
      expect((await schemeOf(page)).card).toBe(card)
    }
    await page.context().close()
  })
})

describe('disableWatermark', () => {
  it('hides the name of the product, beside a logo and in the title', async () => {
    const markup = await markupOf('quiet')
    expect(markup).not.toContain('Signet')
    expect(markup).toMatch(/<title>[^<]+ · Name of quiet<\/title>/)
  })

  it('shows the name of the organization as text where there is no logo', async () => {
    const { page } = await openPage(chrome)
    await page.goto(at(signInPath('nameless')))
    expect(await page.textContent('.brand')).toBe('"><b>Nameless</b>')
    expect(await page.title()).toContain('"><b>Nameless</b>')
    expect(await page.content()).not.toContain('Signet')
    await page.context().close()
  })
})

import { createHash } from 'node:crypto'
import { fontSample, pngSample } from '@signet/testing/branding-samples'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { openPage } from './chromium.ts'
import { asOwner, startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const png = (red: number) => pngSample({ colour: [red, 0, 0] })
const [LOGO, FONT] = [png(1), fontSample()]
const [LOGO_PATH, FONT_PATH] = [`/ui/assets/${sha256(LOGO)}.png`, `/ui/assets/${sha256(FONT)}.woff2`]
/** SVG without a size of its own, and with script that the directory would refuse. */
const HOSTILE_SVG = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10" onload="document.documentElement.id='ran'"><style>rect{fill:#0b6e4f}</style><rect width="30" height="10"/><script>document.documentElement.id='ran'</script></svg>`,
)

let env: TestEnvironment
let chrome: Browser

const fileRow = (organization: string, kind: string, content: Buffer, mediaType = 'image/png') =>
  `INSERT INTO directory.branding_file (organization_id, kind, media_type, content)
   VALUES ('${organization}', '${kind}', '${mediaType}', '\\x${content.toString('hex')}')`

beforeAll(async () => {
  env = await startTestEnvironment({ signInLimit: 50 })
  await asOwner(env.adminUrl, [
    ...['leaving', 'plain', 'vector'].flatMap((id) => [
      `INSERT INTO directory.organization (organization_id, name, primary_domain)
       VALUES ('${id}', 'Name of ${id}', '${id}.localhost')`,
      `INSERT INTO directory.organization_domain VALUES ('${id}', '${id}.localhost', true)`,
    ]),
    fileRow('acme', 'logo', LOGO),
    fileRow('acme', 'font', FONT, 'font/woff2'),
    fileRow('vector', 'logo', HOSTILE_SVG, 'image/svg+xml'),
  ])
  chrome = await chromium.launch({ executablePath: inject('chromiumPath'), args: ['--no-sandbox'] })
})
beforeEach(async () => {
  await env.redis.flushdb()
  env.clock.advance(10_000)
})
afterAll(async () => {
  await chrome?.close()
  await env?.stop()
})

const at = (path: string) => `http://localhost:${env.port}${path}`
const scopeOf = (organization: string) => `openid urn:service:iam:org:id:${organization}`
const signInPath = (organization: string) =>
  `/oauth/v2/authorize?${new URLSearchParams({ ...WEB_REQUEST, scope: scopeOf(organization) })}`
const markupOf = async (organization: string) => {
  env.clock.advance(1_000)
  return (await env.authorize(env.newBrowser(), { scope: scopeOf(organization) })).body
}

/** The path of the logo that the browser shows, once it is loaded. */
function logoOf(page: Page) {
  return page.evaluate(async () => {
    const image = document.querySelector<HTMLImageElement>('.logo img')
    if (image === null) return undefined
    await image.decode()
    return { path: new URL(image.currentSrc).pathname, alt: image.alt, height: image.height > 0 }
  })
}

describe('a file', () => {
  it('is served with its type, for good, and cannot run anything when it is opened alone', async () => {
    const answer = await fetch(at(LOGO_PATH))
    expect([answer.status, Object.fromEntries(answer.headers)]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'x-content-type-options': 'nosniff',
      }),
    ])
    expect(Buffer.from(await answer.arrayBuffer()).equals(LOGO)).toBe(true)
    const font = await fetch(at(FONT_PATH))
    expect([font.status, font.headers.get('content-type')]).toEqual([200, 'font/woff2'])
  })

  it('with script runs none, in a page or opened alone', async () => {
    const { page } = await openPage(chrome)
    await page.goto(at(signInPath('vector')))
    const path = `/ui/assets/${sha256(HOSTILE_SVG)}.svg`
    expect(await logoOf(page)).toEqual({ path, alt: 'Name of vector', height: true })
    expect(await page.locator('.logo img').boundingBox()).toMatchObject({ width: 192, height: 64 })
    expect(await page.locator('#ran').count()).toBe(0)
    const answer = await page.goto(at(path))
    expect([answer?.status(), answer?.headers()['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(await page.locator('rect').count()).toBe(1)
    expect(await page.locator('rect').evaluate((one) => getComputedStyle(one).fill)).toBe('rgb(11, 110, 79)')
    expect(await page.locator('#ran').count()).toBe(0)
    await page.context().close()
  })

  it.each([
    `${sha256(Buffer.from('no such file'))}.png`,
    `${sha256(LOGO)}.jpg`,
    `${sha256(LOGO)}.svg`,
    `${sha256(LOGO)}`,
    `${sha256(LOGO)}.png.html`,
    `${sha256(LOGO).toUpperCase()}.png`,
    `${sha256(LOGO).slice(1)}.png`,
    `${sha256(LOGO)}.png%00`,
  ])('does not exist under another name: %s', async (name) => {
    const answer = await fetch(at(`/ui/assets/${name}`))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
    // The links of the languages lead back to this address.
    expect((await answer.text()).replaceAll(/;to=[^"]*/g, '')).not.toContain(sha256(LOGO))
  })

  it('loses the logo within a second of its deletion, and the file is gone', async () => {
    const logo = png(20)
    const path = `/ui/assets/${sha256(logo)}.png`
    const status = async () => {
      env.clock.advance(1_000)
      return (await fetch(at(path))).status
    }
    expect(await status()).toBe(404)
    await asOwner(env.adminUrl, [fileRow('leaving', 'logo', logo)])
    await expect.poll(() => markupOf('leaving')).toContain(path)
    await expect.poll(status).toBe(200)
    await asOwner(env.adminUrl, [`DELETE FROM directory.branding_file WHERE organization_id = 'leaving'`])
    await expect.poll(() => markupOf('leaving')).not.toContain(path)
    await expect.poll(status).toBe(404)
  })

  it('keeps a file that two organizations have until both have deleted it', async () => {
    const logo = png(21)
    const path = at(`/ui/assets/${sha256(logo)}.png`)
    await asOwner(env.adminUrl, [fileRow('leaving', 'logo', logo), fileRow('plain', 'icon', logo)])
    await expect.poll(async () => (await fetch(path)).status).toBe(200)
    await asOwner(env.adminUrl, [`DELETE FROM directory.branding_file WHERE organization_id = 'leaving'`])
    await expect.poll(() => markupOf('leaving')).not.toContain(sha256(logo))
    expect((await fetch(path)).status).toBe(200)
    await asOwner(env.adminUrl, [`DELETE FROM directory.branding_file WHERE organization_id = 'plain'`])
    await expect.poll(async () => (await fetch(path)).status).toBe(404)
  })

  it('is refused above the rate of its network, also one that does not exist, apart from pages', async () => {
    const [existing, random] = [at(LOGO_PATH), at(`/ui/assets/${sha256(Buffer.from('random'))}.png`)]
    const statuses = async () =>
      Promise.all([existing, random].map(async (path) => (await fetch(path)).status))
    for (let count = 0; count < 25; count += 1) expect(await statuses()).toEqual([200, 404])
    const refused = await fetch(random)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await fetch(existing)).status).toBe(429)
    const page = await env.authorize(env.newBrowser(), { scope: scopeOf('plain') })
    expect(page.status, 'a page').toBe(200)
    const stylesheet = /\/ui\/assets\/signet-[\w-]+\.css/.exec(page.body)?.[0] ?? ''
    expect((await fetch(at(stylesheet))).status, 'its stylesheet').toBe(200)
    env.clock.advance(1_000)
    expect(await statuses()).toEqual([200, 404])
  })
})

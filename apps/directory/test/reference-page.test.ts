import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { accessibilityProblems, contrastProblems, openPage, widthOf } from '../../login/test/chromium.ts'
import { OPERATIONS } from '../src/operations.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
})
afterAll(() => management?.stop())

it('the page has every operation, loads its stylesheet only and needs no bearer', async () => {
  const { status, headers, text } = await management.open('/management/v1/reference')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'",
  )
  for (const { id, path } of OPERATIONS) {
    expect(text).toContain(`id="${id}"`)
    expect(text).toContain(path)
  }
  const loaded = [...text.matchAll(/(?:src|href)="([^#"][^"]*)"/g)].map(([, url]) => url)
  // Without an icon of its own a browser would ask for one.
  expect(loaded).toEqual(['data:,', '/management/v1/reference.css', 'openapi.json'])
  expect(text).not.toContain('<script')
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor)
  for (const anchor of new Set(links)) expect(text).toContain(`id="${anchor}"`)
})

it('the page shows code and paragraphs of descriptions, and no backquote of Markdown', async () => {
  const { text } = await management.open('/management/v1/reference')
  const [, shown = ''] = text.split('<body>')
  const prose = shown.replaceAll(/<pre>[\s\S]*?<\/pre>/g, '')
  expect(prose).not.toMatch(/`|&#96;/)
  expect(prose).toContain('<code>/management/v1</code>')
  expect(prose).toContain('<p>Lists are answered in parts')
})

it('the stylesheet is served', async () => {
  const { status, headers } = await management.open('/management/v1/reference.css')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
})

describe('in a browser', () => {
  let chrome: Browser
  beforeAll(async () => {
    chrome = await chromium.launch({ executablePath: inject('chromiumPath'), args: ['--no-sandbox'] })
  })
  afterAll(() => chrome?.close())

  it('axe-core finds no violation, light or dark, and the page fits a screen of 320 pixels', async () => {
    const { page, complaints } = await openPage(chrome)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(management.at('/management/v1/reference'))
    expect(await widthOf(page)).toBe(320)
    // One template makes the articles: axe-core takes seconds for all of them and finds nothing else than in two of each.
    await page.evaluate(() => {
      for (const article of document.querySelectorAll('article:nth-of-type(n + 3)')) article.remove()
    })
    expect(await accessibilityProblems(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await contrastProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is complete without scripts, and its links lead to existing anchors', async () => {
    const { page, complaints } = await openPage(chrome, { javaScriptEnabled: false })
    await page.goto(management.at('/management/v1/reference'))
    expect(await page.locator('main article h3').count()).toBeGreaterThan(OPERATIONS.length)
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).display)).toBe('block')
    await page.click('nav a[href="#audit"]')
    expect(await page.locator('section:target h2').textContent()).toBe('audit')
    expect(complaints).toEqual([])
  })
})

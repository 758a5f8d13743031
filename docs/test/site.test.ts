import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const DIST = `${FOLDER}dist/`

/** The HTML of each page, by its address on the site. */
const pages = new Map<string, string>()

// A dead link ends the build, and its message names file and link.
beforeAll(async () => {
  await promisify(execFile)('pnpm', ['build'], { cwd: FOLDER })
  for (const file of globSync('**/*.html', { cwd: DIST })) {
    pages.set(`/${file}`, readFileSync(`${DIST}${file}`, 'utf8'))
  }
}, 300_000)

it('has the page of every Markdown file', () => {
  expect(pages.size).toBeGreaterThan(80)
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['/index.html', '/about.html']))
})

it('has the heading that a link of the site names', () => {
  const dead: string[] = []
  for (const [address, html] of pages) {
    for (const [, href = ''] of html.matchAll(/<a\b[^>]*\bhref="(\/?[^":]*#[^"]+)"/g)) {
      const { pathname, hash } = new URL(href, `http://site${address}`)
      const page = pages.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname) ?? ''
      if (!page.includes(`id="${decodeURIComponent(hash.slice(1))}"`)) dead.push(`${address}: ${href}`)
    }
  }
  expect(dead).toEqual([])
})

it('searches the guides and leaves out pages for people who change Signet', () => {
  const [file = ''] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: DIST })
  const index = readFileSync(`${DIST}${file}`, 'utf8')
  for (const page of ['/guides/sign-out', '/my-sign-in-fails', '/apps/cli/']) expect(index).toContain(page)
  for (const page of ['/decisions/00', '/spec-coverage', '/packages/', '/apps/token/'])
    expect(index).not.toContain(page)
})

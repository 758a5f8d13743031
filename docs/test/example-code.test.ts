import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pagesWithCode } from '../src/example-code.ts'

const ROOT = new URL('../../', import.meta.url)
const pages = Object.entries(pagesWithCode())

it('shows the code of an example in each quick start of a library', () => {
  expect(pages.length).toBeGreaterThan(5)
})

it.each(pages)('%s has the code of its examples; else run npm run generate', (page, content) => {
  expect(readFileSync(new URL(page, ROOT), 'utf8')).toBe(content)
})

import { readFile, writeFile } from 'node:fs/promises'
import type { Result } from './results.ts'
import { tablesOf } from './tables.ts'

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url)
const BETWEEN = /(<!-- figures -->\n)[\s\S]*(\n<!-- end of figures -->)/

/** Puts the figures between their marks in docs/benchmarks.md; the words around them stay. */
export async function writeDocument(results: readonly Result[]): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8')
  if (!BETWEEN.test(text)) throw new Error('docs/benchmarks.md has lost the marks between which figures go')
  const tables = tablesOf(results)
  await writeFile(
    DOCUMENT,
    text.replace(BETWEEN, (_, begin, end) => `${begin}\n${tables}\n${end}`),
  )
}

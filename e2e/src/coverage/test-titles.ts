import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The title of a test, of a group of tests or of one row of a table of tests, as its file writes it. */
export interface TestTitle {
  readonly file: string
  readonly title: string
}

const FILES = '{{apps,packages}/*,e2e}/{src/**/*.test,test/**/*}.ts'
const TEXT = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/.source
/** `it(`, `describe(`, and what follows the rows of `.each(…)`: only what runs has a title here. */
const TITLE = new RegExp(String.raw`(?:\b(?:it|describe)\(|\)\()\s*(?:${TEXT})\s*,`, 'g')
/** The first cell of a row that names a requirement for itself. */
const ROW = /^\s*\[\s*'((?:F-\d\d|oidcc-)[^'\n]*)'/gm

/** Every title in the repository at `root`, in the order of files and lines. */
export function readTestTitles(root: URL): readonly TestTitle[] {
  const files = globSync(FILES, { cwd: fileURLToPath(root) }).sort()
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    const found = [...text.matchAll(TITLE), ...text.matchAll(ROW)].sort((a, b) => a.index - b.index)
    return found.map(([, ...texts]) => {
      const title = texts.find((part) => part !== undefined) ?? ''
      return { file, title: title.replaceAll(/\\(.)/g, '$1') }
    })
  })
}

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

/** Requirements by id, under the heading of the specification that states them. */
export type Requirements = Readonly<Record<string, Readonly<Record<string, string>>>>

const FOLDER = new URL('../../requirements/', import.meta.url)

export const specRequirements = read<Requirements>('spec.json')
export const securityRequirements = read<Readonly<Record<string, string>>>('security.json')
export const conformanceModules = read<Readonly<Record<string, readonly string[]>>>('conformance.json')

/** A title ends in the ids of what it proves, each in brackets; `[a.b.*]` stands for every row that begins with `a.b.`. */
const SPEC_ID = /\[([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*\.(?:[a-z0-9_-]+|\*))\]/g

/** The requirement ids in a title, or prefixes that end in `*`. */
export function specIdsIn(title: string): readonly string[] {
  return [...title.matchAll(SPEC_ID)].map(([, id = '']) => id)
}

/** The title without its ids. */
export function withoutSpecIds(title: string): string {
  return title.replaceAll(SPEC_ID, '').trim()
}

/** The tests that name a requirement of the specification. */
export function testsOf(id: string, titles: readonly TestTitle[]): readonly TestTitle[] {
  return titles.filter(({ title }) => specIdsIn(title).some((pattern) => matches(pattern, id)))
}

export function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
}

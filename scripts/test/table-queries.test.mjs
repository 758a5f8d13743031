import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)

const { subjects, left } = JSON.parse(readFileSync(new URL('table-queries.json', import.meta.url), 'utf8'))

/** A table of a service; the views in `…_read` are published, and catalogues belong to PostgreSQL. */
const TABLE = /\b(FROM|JOIN)\s+(\{\}|((directory|grants|keys|migration)(_audit)?\.))/
/** Statements that prepare a test instead of asserting, and locks that hold a row. */
const PREPARES =
  /^\s*(WITH\b[\s\S]*\b)?(INSERT|UPDATE|DELETE|ALTER|CREATE|DO|GRANT|REVOKE|LOCK)\b|FOR (UPDATE|SHARE)\s*$/

const textOf = (node) => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('{}')
  return ''
}
const isQuery = (text) => /\bSELECT\b/i.test(text) && TABLE.test(text) && !PREPARES.test(text)

/** How many texts of a file are queries of tables. */
function queriesIn(path, source) {
  const count = (node) => {
    if (node === null || typeof node !== 'object') return 0
    const within = Object.values(node).reduce((sum, value) => sum + count(value), 0)
    return within + (isQuery(textOf(node)) ? 1 : 0)
  }
  return count(parseSync(path, source).program)
}

const found = Object.fromEntries(
  execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => [path, queriesIn(path, readFileSync(new URL(path, ROOT), 'utf8'))])
    .filter(([, number]) => number > 0),
)
const matches = (path, { files }) => new RegExp(`^(${files})$`).test(path)

it('counts queries of tables, and neither queries of published views nor statements that prepare a test', () => {
  const source = `
    rows('SELECT state FROM directory.account')
    rows(\`SELECT count(*) FROM \${table}\`)
    rows('SELECT FROM a JOIN\\n keys_audit.segment USING (id)')
    rows('SELECT role FROM directory_read.member_v1')
    rows('SELECT FROM pg_locks')
    rows('INSERT INTO directory.passkey SELECT id FROM directory.account')
    rows('SELECT FROM directory.account FOR UPDATE')
    it('reads rows FROM directory.account')`
  expect(queriesIn('a.test.ts', source)).toBe(3)
})

it('finds no test that queries tables, but those whose subject tables are, and those that are left', () => {
  const others = Object.entries(found).filter(([path]) => !subjects.some((subject) => matches(path, subject)))
  expect(
    Object.fromEntries(others),
    'assert by the API, a published view or an event, or lower the number in table-queries.json',
  ).toEqual(left)
})

describe.each(subjects)('$files', (subject) => {
  it(`is still needed: ${subject.why}`, () => {
    expect(Object.keys(found).some((path) => matches(path, subject))).toBe(true)
  })
})

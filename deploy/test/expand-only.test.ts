import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops what the version before may use', /\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|SCHEMA|TYPE|TRIGGER)\b/gi],
  ['renames', /\bRENAME\s+(TO|COLUMN|CONSTRAINT)\b/gi],
  ['tightens a column', /\bSET\s+NOT\s+NULL\b/gi],
  ['changes the type of a column', /\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b/gi],
  ['empties a table', /\bTRUNCATE\b/gi],
  [
    'adds a column that the version before does not fill',
    /\bADD\s+COLUMN\s+(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/gi,
  ],
]

/** The first line of a migration that is allowed to take away, with the version from which on it is safe. */
const CONTRACT = /^-- contract: \S.*\n/

/**
 * The objects that a migration removes or tightens, so that the previous version would fail on its schema: one line
 * each. Bodies of functions are left out, they run later.
 */
function takenAway(sql: string): readonly string[] {
  if (CONTRACT.test(sql)) return []
  const statements = sql.replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").replaceAll(/--.*$/gm, '')
  return FORBIDDEN.flatMap(([what, pattern]) =>
    [...statements.matchAll(pattern)].map(([found]) => `${what}: ${found.replaceAll(/\s+/g, ' ')}`),
  )
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const filesIn = (folder: string) =>
  globSync(`{apps,packages}/*/migrations/${folder}*.sql`, { cwd: root }).toSorted()
/** Files of before that another one replaces are applied to databases of before. */
const files = [...filesIn(''), ...filesIn('replaced/'), ...filesIn('views/')]

describe('expand, then contract (docs/upgrades.md)', () => {
  it.each(files)('version N-1 runs on the schema after %s', (file) => {
    expect(takenAway(readFileSync(`${root}${file}`, 'utf8'))).toEqual([])
  })

  it.each([
    'DROP TABLE grants.revocation;',
    'ALTER TABLE a.b\n  DROP COLUMN c;',
    'ALTER TABLE a.b RENAME COLUMN c TO d;',
    'ALTER VIEW directory_read.client_v1 RENAME TO client_v2;',
    'ALTER TABLE a.b ALTER COLUMN c SET NOT NULL;',
    'ALTER TABLE a.b ALTER COLUMN c TYPE bigint;',
    'ALTER TABLE a.b ADD COLUMN c text NOT NULL;',
    'ALTER TABLE a.b ADD COLUMN d text, ADD COLUMN c text NOT NULL, ADD COLUMN e text DEFAULT 1;',
    'TRUNCATE a.b;',
  ])('finds %s', (sql) => {
    expect(takenAway(sql)).toHaveLength(1)
    expect(takenAway(`-- contract: no version before 1.4 runs on this\n${sql}`)).toEqual([])
  })

  it.each([
    'CREATE TABLE a.b (c text NOT NULL);',
    'ALTER TABLE a.b ADD COLUMN c bigint NOT NULL DEFAULT 0;',
    'ALTER TABLE a.b ALTER COLUMN c DROP NOT NULL, ADD COLUMN d jsonb;',
    '-- DROP TABLE a.b;\nCREATE FUNCTION a.f() RETURNS void AS $$ BEGIN DROP TABLE a.b; END $$;',
  ])('lets pass %s', (sql) => {
    expect(takenAway(sql)).toEqual([])
  })
})

it.each(filesIn('views/'))('%s has nothing that could not be applied again', (file) => {
  const sql = readFileSync(`${root}${file}`, 'utf8')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
  const statements = sql.split(';').map((statement) => statement.trim())
  expect(statements.pop()).toBe('')
  for (const statement of statements)
    expect(statement).toMatch(/^(CREATE OR REPLACE (VIEW|FUNCTION)|GRANT|COMMENT ON) /)
})

it('publishes views by files in views/ alone, which are applied again', () => {
  const making = filesIn('').filter((file) =>
    /\bVIEW\b/.test(readFileSync(`${root}${file}`, 'utf8').replaceAll(/--.*$/gm, '')),
  )
  // The view through which versions of before write.
  expect(making).toEqual(['packages/platform/migrations/0001_audit_log.sql'])
})

it('changes audit logs in packages/platform/migrations', () => {
  const changing = filesIn('').filter((file) =>
    /audit_(event|partitions)|_audit\b/.test(
      readFileSync(`${root}${file}`, 'utf8').replaceAll(/--.*$/gm, ''),
    ),
  )
  expect(changing).toEqual(['packages/platform/migrations/0001_audit_log.sql'])
})

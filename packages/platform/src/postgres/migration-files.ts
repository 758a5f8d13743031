import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { DatabaseRole } from './roles.ts'

/**
 * The SQL files of one schema. `folder` holds `NNNN_name.sql`, which are applied in order, once, forward only, and in `views/` the
 * views, which are applied after them and again when their text changed. A numbered file that begins with `-- replaces …` stands
 * for the files that it names: a database that has these does without it. Those of them that it may lack are in `replaced/`. The
 * statements of a file that begins with `-- outside a transaction` run one by one, in no transaction.
 */
export interface Migrations {
  readonly schema: string
  readonly role: DatabaseRole
  readonly folder: URL
  /** Whether the schema has an audit log, which the files of `AUDIT_MIGRATIONS` give to a role of its own. */
  readonly hasAuditLog?: true
}

/** The SQL files of every audit log, with `@schema@` and `@role@` in them; applied after the numbered ones of the service. */
const AUDIT_MIGRATIONS = new URL('../../migrations/', import.meta.url)

const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/
const VIEW_NAME = /^[a-z0-9_]+\.sql$/
const OUTSIDE_TRANSACTION = /^-- outside a transaction\b/
const REPLACES = /^-- replaces the files of commit (\w+) and later ones:\n((?:-- {3}.+\n)+)/

export interface MigrationFile {
  /** Name in `schema_migration`; a view has the hash of its text behind it. */
  readonly name: string
  readonly sql: string
  /** Whether the administrator applies it and not the owning role. */
  readonly asAdministrator: boolean
  /** The name without the hash. */
  readonly view?: string
  readonly replaced?: ReplacedFiles
  /** The statements of a file that runs in no transaction. */
  readonly statements?: readonly string[]
}

interface ReplacedFiles {
  /** The commit that has all files which are not in `files`. */
  readonly commit: string
  readonly names: readonly string[]
  /** Files that are applied where they are missing. */
  readonly files: readonly MigrationFile[]
}

/** The files of a schema in the order of their application to a new database. */
export async function migrationFiles({
  schema,
  role,
  folder,
  hasAuditLog,
}: Migrations): Promise<readonly MigrationFile[]> {
  const read = async (url: URL) =>
    (await readFile(url, 'utf8')).replaceAll('@schema@', schema).replaceAll('@role@', role)
  const numbered = async (from: URL, prefix: string): Promise<readonly MigrationFile[]> => {
    const load = async (name: string, url: URL) => ({
      name: `${prefix}${name}`,
      sql: await read(url),
      asAdministrator: prefix !== '',
    })
    const files = (await namesIn(from, FILE_NAME)).map(async (name) => {
      const file = await load(name, new URL(name, from))
      const [, commit, list] = REPLACES.exec(file.sql) ?? []
      if (commit === undefined || list === undefined)
        return OUTSIDE_TRANSACTION.test(file.sql) ? { ...file, statements: statementsOf(file.sql) } : file
      const older = new URL('replaced/', from)
      const names = list.split(/[-\s]+/).filter((part) => FILE_NAME.test(part))
      const applicable = (await namesIn(older, FILE_NAME)).map((each) => load(each, new URL(each, older)))
      const replaced = { commit, names: names.map((each) => `${prefix}${each}`) }
      return { ...file, replaced: { ...replaced, files: await Promise.all(applicable) } }
    })
    return Promise.all(files)
  }
  const before = [
    ...(await numbered(folder, '')),
    ...(hasAuditLog ? await numbered(AUDIT_MIGRATIONS, 'audit/') : []),
  ]
  const views = new URL('views/', folder)
  const after = (await namesIn(views, VIEW_NAME)).map(async (name) => {
    const sql = await read(new URL(name, views))
    // Of the numbered files too: `*` in a view stands for more columns after one of them.
    const hash = sha256(`${before.map((file) => file.name).join('\n')}\n${sql}`).slice(0, 16)
    return { name: `views/${name} ${hash}`, view: `views/${name}`, sql, asAdministrator: false }
  })
  return [...before, ...(await Promise.all(after))]
}

/** The statements of a file without functions, each of which ends with a semicolon at the end of a line. */
const statementsOf = (sql: string): readonly string[] =>
  sql
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\s*(?:\n|$)/)
    .filter((statement) => statement.trim() !== '')

/** The names in a folder, sorted; none when there is no such folder. */
async function namesIn(folder: URL, pattern: RegExp): Promise<readonly string[]> {
  if (!existsSync(folder)) return []
  return (await readdir(folder)).filter((name) => pattern.test(name)).sort()
}

/** SHA-256 in hexadecimal digits. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

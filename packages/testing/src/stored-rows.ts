import { createHash } from 'node:crypto'

/** Runs a statement as a role that reads all tables. Statements with one name have one text, so that they can be prepared. */
type Query = (text: string, name: string) => Promise<readonly object[]>

/** Runs a statement that is repeated: the plan for a hundred tables takes longer than their rows. */
const prepared = (query: Query, text: string) =>
  query(text, `stored_rows.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)

/** Names of the tables of the schemas, parts of partitioned tables included. */
async function tablesOf(query: Query, schemas: readonly string[]): Promise<readonly string[]> {
  const rows = await prepared(
    query,
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN (${schemas.map((schema) => `'${schema}'`).join()}) AND c.relkind = 'r' ORDER BY 1`,
  )
  const names = (rows as readonly { readonly name: string }[]).map(({ name }) => name)
  if (names.length === 0) throw new Error(`no table in ${schemas.join(', ')}`)
  return names
}

/**
 * A digest of the rows of each table: two are equal when nothing was stored, changed or deleted between them. `except` has
 * the names of tables to leave out, without their schema.
 */
export async function tableDigests(
  query: Query,
  schemas: readonly string[],
  except: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const tables = (await tablesOf(query, schemas)).filter(
    (name) => !except.includes(name.replace(/^.*\./, '')),
  )
  const digests = tables.map(
    (name) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(r::text, '|' ORDER BY r::text), '')) AS digest FROM ${name} r`,
  )
  const rows = await prepared(query, digests.join(' UNION ALL '))
  const found = rows as readonly { readonly name: string; readonly digest: string }[]
  return Object.fromEntries(found.map(({ name, digest }) => [name, digest]))
}

/** Names of the tables whose rows differ between two digests. */
export const changedTables = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] => Object.keys(after).filter((name) => after[name] !== before[name])

/** A text as columns hold it: as it is, as bytes, and in base64; in lower case. */
function spellings(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  const encoded = [base64, bytes.toString('base64url')].map((form) => form.slice(0, -1))
  const inText = [text, ...encoded]
  return [...inText, ...inText.map((form) => Buffer.from(form).toString('hex'))].map((form) =>
    form.toLowerCase(),
  )
}

/** `table: text` for each of the texts that a column of the schemas holds, in any case of its letters. */
export async function placesOf(
  texts: readonly string[],
  query: Query,
  schemas: readonly string[],
): Promise<readonly string[]> {
  const places: string[] = []
  for (const name of await tablesOf(query, schemas)) {
    const stored = JSON.stringify(await query(`SELECT r::text AS row FROM ${name} r`, '')).toLowerCase()
    const held = texts.filter((text) => spellings(text).some((spelling) => stored.includes(spelling)))
    places.push(...held.map((text) => `${name}: ${text}`))
  }
  return places
}

import type { Queryable } from '@signet/platform/postgres/pool'
import { openCarried } from '../carried/carried.repository.ts'
import { openAuthenticators } from '../credentials/totp.ts'
import type { ObjectImage, OpenSealed } from './changed-fields.ts'
import { OBJECT_TABLES } from './object-tables.ts'
import type { RowSet } from './row-sets.ts'

/** Objects of one list. */
export interface Objects {
  readonly list: string
  /** Organization of each object. */
  readonly organizationIds: readonly string[]
  readonly keys: readonly (readonly [string, string?])[]
}

/** Rows that would go with an object. */
export interface FoundDependents {
  readonly index: number
  readonly name: string
  readonly count: number
  readonly areObjects: boolean
}

/** Reads and writes the rows of objects by the table of their lists. All results are by the index of the key. */
export const objectRows = {
  /** Locks all rows of the objects, so that what is read afterwards is what the transaction changes. */
  async lock(tx: Queryable, objects: Objects): Promise<void> {
    for (const rows of tablesOf(objects).rowSets) {
      await tx.query({
        name: `undo.${objects.list}.${rows.table}.lock`, // primary keys
        text: `SELECT 1 FROM ${KEYS} JOIN directory.${rows.table} t ON ${rows.condition} FOR UPDATE OF t`,
        values: keyValues(objects),
      })
    }
  },

  /**
   * A hash of the compared columns of each object, null where there is none; equal hashes need equal seeds. There is a seed
   * for each object.
   */
  async fingerprints(
    tx: Queryable,
    objects: Objects,
    seeds: readonly string[],
  ): Promise<readonly (string | null)[]> {
    if (objects.keys.length === 0) return []
    const hashes = tablesOf(objects).rowSets.map((rows) => {
      const compared = Object.keys(rows.columns).filter((column) => !rows.uncompared?.includes(column))
      const hash = `SELECT hash_record_extended(ROW(${columnList(compared)}), k.seed)
                      FROM directory.${rows.table} t WHERE ${rows.condition}`
      return rows.several ? `nullif(ARRAY(${hash} ORDER BY 1), '{}')` : `(${hash})`
    })
    const names = hashes.map((_, at) => `h${at}`)
    const { rows } = await tx.query<{ fingerprint: string | null }>({
      name: `undo.${objects.list}.fingerprints`, // primary keys, and the indexes of secrets and members by their owners
      text: `SELECT CASE WHEN h0 IS NOT NULL
                         THEN hash_record_extended(ROW(${names.join(', ')}), k.seed)::text END AS fingerprint
               FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
                      WITH ORDINALITY AS k (k1, k2, organization_id, seed, place)
              CROSS JOIN LATERAL (SELECT ${hashes.map((hash, at) => `${hash} AS h${at}`).join(', ')} OFFSET 0) hashes
              ORDER BY k.place`,
      values: [...keyValues(objects), seeds],
    })
    return rows.map(({ fingerprint }) => fingerprint)
  },

  /** The rows of each object. */
  async images(tx: Queryable, objects: Objects): Promise<readonly ObjectImage[]> {
    if (objects.keys.length === 0) return []
    const members = tablesOf(objects).rowSets.map(
      ({ table, columns, condition, primaryKey }) =>
        `'${table}', (SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]')
                        FROM (SELECT ${columnList(Object.keys(columns))} FROM directory.${table} t
                               WHERE ${condition} ORDER BY ${columnList(primaryKey)}) x)`,
    )
    const { rows } = await tx.query<{ image: ObjectImage }>({
      name: `undo.${objects.list}.images`, // as its fingerprints
      text: `SELECT jsonb_build_object(${members.join(', ')}) AS image FROM ${KEYS} ORDER BY k.place`,
      values: keyValues(objects),
    })
    return rows.map(({ image }) => image)
  },

  /** The rows that would go with the objects, counted. */
  async dependents(tx: Queryable, objects: Objects): Promise<readonly FoundDependents[]> {
    const { dependents } = tablesOf(objects)
    if (dependents.length === 0 || objects.keys.length === 0) return []
    const counts = dependents.map(
      ({ name, table, condition, areObjects = false }) =>
        `('${name}', ${areObjects}, (SELECT count(*)::int FROM directory.${table} t WHERE ${condition}))`,
    )
    const { rows } = await tx.query<FoundDependents>({
      name: `undo.${objects.list}.dependents`, // the indexes of the foreign keys
      text: `SELECT k.place::int - 1 AS index, d.name, d.are_objects AS "areObjects", d.count
               FROM ${KEYS} CROSS JOIN LATERAL (VALUES ${counts.join(', ')}) AS d (name, are_objects, count)
              WHERE d.count > 0 ORDER BY k.place`,
      values: keyValues(objects),
    })
    return rows
  },

  /** Deletes the objects. Triggers end their sessions and tokens, as for a deletion by the management API. */
  async remove(tx: Queryable, objects: Objects): Promise<void> {
    if (objects.keys.length === 0) return
    const [first, ...others] = tablesOf(objects).rowSets
    for (const { table, condition, endsTokensOf } of [
      ...others.filter(({ isDetached }) => isDetached),
      first,
    ]) {
      const { rows } = await tx.query<{ owner: string }>({
        name: `undo.${objects.list}.${table}.remove`, // as its lock
        text: `DELETE FROM directory.${table} t USING ${KEYS} WHERE ${condition} RETURNING ${ownerOf(endsTokensOf)} AS owner`,
        values: keyValues(objects),
      })
      await endTokens(tx, endsTokensOf, rows)
    }
  },

  /** Gives the objects the rows of their images. */
  async restore(tx: Queryable, objects: Objects, images: readonly ObjectImage[]): Promise<void> {
    if (objects.keys.length === 0) return
    for (const rows of tablesOf(objects).rowSets) {
      const before = images.flatMap((image) => image[rows.table] ?? [])
      const restored = { columns: columnsIn(rows, before), before: JSON.stringify(before) }
      if (rows.optional) await restoreOptional(tx, objects, rows, restored)
      else await restoreFirst(tx, objects, rows, restored)
    }
  },
}

export type ObjectRows = typeof objectRows

/** $1 and $2 are the two parts of the keys, $3 is the organization of each. */
const KEYS = `unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (k1, k2, organization_id, place)`

function keyValues({ keys, organizationIds }: Objects): readonly unknown[] {
  return [keys.map(([first]) => first), keys.map(([, second = '']) => second), organizationIds]
}

function tablesOf({ list }: Pick<Objects, 'list'>) {
  const tables = OBJECT_TABLES.get(list)
  if (tables === undefined) throw new RangeError(`${list} is not a list of the format`)
  return tables
}

const columnList = (columns: readonly string[], row = 't') =>
  columns.map((column) => `${row}.${column}`).join(', ')

/** The columns that images have. Those that came later keep their values, and have their defaults in a row that is inserted. */
const columnsIn = ({ columns }: RowSet, before: readonly object[]): readonly string[] =>
  Object.keys(columns).filter((column) => before.every((row) => column in row))

/** The end of the name of a statement with fewer columns than an object has now. */
const variantOf = ({ columns }: RowSet, restored: readonly string[]) =>
  restored.length === Object.keys(columns).length ? '' : `_${restored.length}_columns`

/** Rows of images, as JSON, and their columns. */
interface RestoredRows {
  readonly columns: readonly string[]
  readonly before: string
}

/** Changes rows that exist as long as their object. */
async function restoreFirst(
  tx: Queryable,
  { list }: Objects,
  rows: RowSet,
  { columns, before }: RestoredRows,
): Promise<void> {
  const { table, primaryKey } = rows
  const changed = columns.filter((column) => !primaryKey.includes(column))
  const touched = table === 'account' ? ', updated_at = now()' : ''
  await tx.query({
    name: `undo.${list}.${table}.restore${variantOf(rows, columns)}`, // primary key
    text: `UPDATE directory.${table} t SET ${changed.map((column) => `${column} = b.${column}`).join(', ')}${touched}
             FROM jsonb_populate_recordset(NULL::directory.${table}, $1::jsonb) b
            WHERE ${primaryKey.map((column) => `t.${column} = b.${column}`).join(' AND ')}
              AND (${columnList(changed)}) IS DISTINCT FROM (${columnList(changed, 'b')})`,
    values: [before],
  })
}

async function restoreOptional(
  tx: Queryable,
  objects: Objects,
  rows: RowSet,
  { columns: all, before }: RestoredRows,
): Promise<void> {
  const { table, primaryKey, condition, endsTokensOf, conflictTarget } = rows
  const changed = all.filter((column) => !primaryKey.includes(column))
  // Equality, which PostgreSQL can hash; some keys of members are null.
  const same = primaryKey
    .map((column) => `coalesce(b.${column}::text, '') = coalesce(t.${column}::text, '')`)
    .join(' AND ')
  const { rows: owners } = await tx.query<{ owner: string }>({
    name: `undo.${objects.list}.${table}.take`, // as its lock
    text: `DELETE FROM directory.${table} t USING ${KEYS}
            WHERE ${condition}
              AND NOT EXISTS (SELECT FROM jsonb_populate_recordset(NULL::directory.${table}, $4::jsonb) b WHERE ${same})
           RETURNING ${ownerOf(endsTokensOf)} AS owner`,
    values: [...keyValues(objects), before],
  })
  await tx.query({
    name: `undo.${objects.list}.${table}.give${variantOf(rows, all)}`, // primary key
    text: `INSERT INTO directory.${table} AS t (${all.join(', ')}) OVERRIDING SYSTEM VALUE
           SELECT ${all.join(', ')} FROM jsonb_populate_recordset(NULL::directory.${table}, $1::jsonb) b
               ON CONFLICT ${conflictTarget ?? `(${primaryKey.join(', ')})`} ${
                 changed.length === 0
                   ? 'DO NOTHING'
                   : `DO UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
                       WHERE (${columnList(changed)}) IS DISTINCT FROM (${columnList(changed, 'excluded')})`
               }`,
    values: [before],
  })
  await endTokens(tx, endsTokensOf, owners)
}

const OWNER_COLUMNS = { account: 'user_id', application: 'application_id' } as const

const ownerOf = (endsTokensOf: RowSet['endsTokensOf']): string =>
  endsTokensOf === undefined ? 'NULL' : `t.${OWNER_COLUMNS[endsTokensOf]}`

/** Ends the tokens of the owners of rows that were taken away. */
async function endTokens(
  tx: Queryable,
  endsTokensOf: RowSet['endsTokensOf'],
  owners: readonly { readonly owner: string }[],
): Promise<void> {
  if (endsTokensOf === undefined || owners.length === 0) return
  await tx.query({
    name: `undo.${endsTokensOf}.end_tokens`, // primary key
    text: `UPDATE directory.${endsTokensOf} SET token_epoch = token_epoch + 1 WHERE ${OWNER_COLUMNS[endsTokensOf]} = ANY ($1::text[])`,
    values: [[...new Set(owners.map(({ owner }) => owner))]],
  })
}

/** Opens the sealed columns of images, which hold bytes in hexadecimal. */
export function createOpener(masterKeys: readonly Buffer[], organizationId: string): OpenSealed {
  const bytes = (value: unknown) => Buffer.from(String(value).replace(/^\\x/, ''), 'hex')
  return (table, row) => {
    if (table === 'account_totp') {
      return openAuthenticators(masterKeys, String(row.user_id), bytes(row.sealed_seed))
    }
    if (table !== 'carried_record') return undefined
    const sealed_record = bytes(row.sealed_record)
    return openCarried(masterKeys, organizationId, {
      list: String(row.list),
      record_key: String(row.record_key),
      sealed_record,
    })
  }
}

import type { Queryable } from '../postgres/pool.ts'
import { keyId, openValue, sealValue } from './sealed-value.ts'

type Row = Readonly<Record<string, unknown>>

/** Seals under the newest master key what an older one sealed for one of these purposes; null when none opens it. */
export type RewrapValue = (sealed: Buffer, purposes: readonly string[]) => Buffer | null

/** A column with values of `sealValue`. */
export interface SealedColumn {
  /** Table with its schema; not partitioned. */
  readonly table: string
  readonly column: string
  /** The columns that `purposes` reads. */
  readonly reads: readonly string[]
  /** The purposes with which the value of a row may be sealed. */
  readonly purposes: (row: Row) => readonly string[]
  /** Rewraps the sealed values within the plain text. */
  readonly content?: (plain: Buffer, row: Row, rewrap: RewrapValue) => Buffer
}

interface Rewrapping {
  /** Newest first. */
  readonly masterKeys: readonly Buffer[]
  readonly random: (size: number) => Buffer
  /** How many values are rewrapped at most, which bounds the transaction. */
  readonly most: number
}

export interface Rewrapped {
  readonly rewrapped: number
  /** Values that none of the master keys opens; they stay as they are. */
  readonly unreadable: number
  /** Whether no value is left under an older master key. */
  readonly done: boolean
}

/** Seals values of these columns under the newest master key, in the order of the columns, in one transaction. */
export async function rewrapColumns(
  tx: Queryable,
  columns: readonly SealedColumn[],
  { masterKeys, random, most }: Rewrapping,
): Promise<Rewrapped> {
  const rewrapWith =
    (content: (plain: Buffer) => Buffer): RewrapValue =>
    (sealed, purposes) => {
      for (const purpose of purposes) {
        const plain = openValue(masterKeys, sealed, purpose)
        if (plain !== undefined) return sealValue(masterKeys, content(plain), purpose, random)
      }
      return null
    }
  const rewrapInner = rewrapWith((plain) => plain)
  let [rewrapped, unreadable] = [0, 0]
  for (const column of columns) {
    const { found, unknown } = await findOlder(tx, column, masterKeys, most - rewrapped)
    const changed = found.map(({ ctid, sealed, ...row }) => {
      const content = (plain: Buffer) => column.content?.(plain, row, rewrapInner) ?? plain
      return { ctid, sealed: rewrapWith(content)(sealed, column.purposes(row)) }
    })
    const opened = changed.filter(({ sealed }) => sealed !== null)
    await replace(tx, column, opened)
    rewrapped += opened.length
    unreadable += unknown + (changed.length - opened.length)
    if (rewrapped >= most) return { rewrapped, unreadable, done: false }
  }
  return { rewrapped, unreadable, done: true }
}

type FoundRow = Row & { readonly ctid: string; readonly sealed: Buffer }

/** Locks values under older master keys that are in the list, and counts those under keys that are not. */
async function findOlder(
  tx: Queryable,
  { table, column, reads }: SealedColumn,
  [newest, ...older]: readonly Buffer[],
  most: number,
): Promise<{ readonly found: readonly FoundRow[]; readonly unknown: number }> {
  if (newest === undefined) throw new Error('sealing needs a master key')
  const ids = older.map(keyId)
  const { rows: found } = await tx.query<FoundRow>({
    name: `rewrap.${table}.${column}.find`, // reads the whole table
    text: `SELECT ${['ctid::text AS ctid', `${column} AS sealed`, ...reads].join(', ')} FROM ${table}
            WHERE substr(${column}, 2, 4) = ANY ($1::bytea[]) LIMIT $2 FOR NO KEY UPDATE`,
    values: [ids, most],
  })
  const { rows } = await tx.query<{ count: number }>({
    name: `rewrap.${table}.${column}.count`, // reads the whole table
    text: `SELECT count(*)::integer AS count FROM ${table} WHERE substr(${column}, 2, 4) <> ALL ($1::bytea[])`,
    values: [[keyId(newest), ...ids]],
  })
  return { found, unknown: rows[0]?.count ?? 0 }
}

async function replace(
  tx: Queryable,
  { table, column }: SealedColumn,
  values: readonly { readonly ctid: string; readonly sealed: Buffer | null }[],
): Promise<void> {
  if (values.length === 0) return
  await tx.query({
    name: `rewrap.${table}.${column}.replace`, // by ctid: the rows are locked
    text: `UPDATE ${table} t SET ${column} = v.sealed
             FROM unnest($1::tid[], $2::bytea[]) AS v (id, sealed) WHERE t.ctid = v.id`,
    values: [values.map(({ ctid }) => ctid), values.map(({ sealed }) => sealed)],
  })
}

import { createHash } from 'node:crypto'
import type { Statement } from '@signet/platform/postgres/pool'

/** Names of columns, which come from the code and never from a caller, and their values. */
export type Columns = Readonly<Record<string, unknown>>

export function insertRow(prefix: string, table: string, columns: Columns): Statement {
  const names = Object.keys(columns)
  const places = names.map((_, at) => `$${at + 1}`)
  const text = `INSERT INTO directory.${table} (${names.join(', ')}) VALUES (${places.join(', ')})`
  return named(prefix, table, text, Object.values(columns))
}

/** Changes the row that `identity`, a primary key, means. */
export function updateRow(prefix: string, table: string, columns: Columns, identity: Columns): Statement {
  const names = Object.keys(columns)
  const { condition, values } = whereRow(identity, names.length)
  const assignments = names.map((name, at) => `${name} = $${at + 1}`)
  const text = `UPDATE directory.${table} SET ${assignments.join(', ')} WHERE ${condition}`
  return named(prefix, table, text, [...Object.values(columns), ...values])
}

function whereRow(identity: Columns, offset: number) {
  const condition = Object.keys(identity)
    .map((name, at) => `${name} = $${offset + at + 1}`)
    .join(' AND ')
  return { condition, values: Object.values(identity) }
}

/** The set of columns varies, so the name must: one name may stand for one text only. */
function named(prefix: string, table: string, text: string, values: readonly unknown[]): Statement {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { name: `${prefix}.${table}.${digest}`, text, values }
}

import type { TypedWriter } from '../transfer/record-writer.ts'
import { type FateRow, toFates, writeRows } from './transfer-statements.ts'

/** A table whose rows belong to one object of the organization each and have a key below it. */
interface DetailTable<R> {
  readonly table: string
  /** The columns of the primary key. */
  readonly owner: string
  readonly key: string
  /** The other columns with their types in PostgreSQL. */
  readonly values: Readonly<Record<string, string>>
  readonly ownerOf: (record: R) => string
  readonly keyOf: (record: R) => string
  readonly valuesOf: (record: R) => Readonly<Record<string, unknown>>
  /** Joins that find `r.owner` in the organization $3; without it `found` is null and the record has no place. */
  readonly ownerJoins: string
  readonly found: string
  readonly missing: string
  /** The rule that a record breaks. */
  readonly problemOf?: (record: R) => string | undefined
}

export function detailWriter<R>(details: DetailTable<R>): TypedWriter<R> {
  const { table, owner, key, values, ownerOf, keyOf, ownerJoins, found, missing } = details
  const valueColumns = Object.keys(values)
  const columns = [owner, key, ...valueColumns].join(', ')
  const types = Object.entries({ [owner]: 'text', [key]: 'text', ...values })
  const fates = {
    name: `transfer.${table}.fates`, // primary keys
    text: `SELECT r.place, CASE WHEN ${found} IS NULL THEN '${missing}' END AS reason
             FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (owner, key, place)
             ${ownerJoins}
             LEFT JOIN directory.${table} d ON d.${owner} = r.owner AND d.${key} = r.key
            WHERE ${found} IS NULL OR d.${owner} IS NOT NULL`,
  }
  const set = {
    name: `transfer.${table}.set`, // primary key
    text: `INSERT INTO directory.${table} (${columns})
           SELECT ${columns}
             FROM json_to_recordset($1::json) AS r (${types.map(([column, type]) => `${column} ${type}`).join(', ')})
               ON CONFLICT (${owner}, ${key}) DO UPDATE
              SET ${valueColumns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  }
  const rowOf = (record: R) => ({
    [owner]: ownerOf(record),
    [key]: keyOf(record),
    ...details.valuesOf(record),
  })
  const refusedOf = (records: readonly R[]) =>
    new Map(
      records.flatMap((record, index) => {
        const problem = details.problemOf?.(record)
        return problem === undefined ? [] : [[index, problem] as const]
      }),
    )
  const write: TypedWriter<R>['insert'] = (tx, records) => writeRows(tx, set, records.map(rowOf))
  return {
    underRules: (_tx, records) => ({ records, leftOut: [], refused: refusedOf(records) }),
    async fates(tx, records, { organizationId }) {
      const { rows } = await tx.query<FateRow>({
        ...fates,
        values: [records.map(ownerOf), records.map(keyOf), organizationId],
      })
      return toFates(rows)
    },
    insert: write,
    update: write,
  }
}

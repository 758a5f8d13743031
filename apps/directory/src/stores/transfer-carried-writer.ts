import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { TypedWriter } from '../transfer/record-writer.ts'
import { type CarriedSealing, writeCarried } from './transfer-carried.ts'
import { type FateRow, toFates } from './transfer-statements.ts'

type Carried = Readonly<Record<string, unknown>>

const idOf = (record: Carried, member: string): string | undefined => {
  const id = record[member]
  return typeof id === 'string' ? id : undefined
}

/** Keeps records of a list that nothing here interprets. */
export function carriedWriter(list: ListName, sealing: CarriedSealing): TypedWriter<Carried> {
  const shape = shapeOf(list)
  // Two links of one user to one provider may differ in whom they name there.
  const keyOf = (record: Carried) =>
    [shape.id(record), idOf(record, 'providedUserId')].filter((part) => part !== undefined).join(' ')
  const write: TypedWriter<Carried>['insert'] = (tx, records, { organizationId }) =>
    writeCarried(
      tx,
      sealing,
      organizationId,
      records.map((record) => ({
        list,
        key: keyOf(record),
        content: record,
        userId: idOf(record, 'userId'),
        projectId: idOf(record, 'projectId'),
      })),
    )
  return {
    async fates(tx, records, { organizationId }) {
      const { rows } = await tx.query<FateRow>({
        name: 'transfer.carried.fates', // primary keys
        text: `SELECT r.place,
                      CASE WHEN r.user_id IS NOT NULL AND a.user_id IS NULL THEN 'there is no such user'
                           WHEN r.project_id IS NOT NULL AND p.project_id IS NULL THEN 'there is no such project'
                      END AS reason
                 FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS r (record_key, user_id, project_id, place)
                 LEFT JOIN directory.account a ON a.user_id = r.user_id
                 LEFT JOIN directory.project p ON p.project_id = r.project_id
                 LEFT JOIN directory.carried_record c
                        ON c.organization_id = $4 AND c.list = $5 AND c.record_key = r.record_key
                WHERE r.user_id IS NOT NULL AND a.user_id IS NULL OR r.project_id IS NOT NULL AND p.project_id IS NULL
                   OR c.record_key IS NOT NULL`,
        values: [
          records.map(keyOf),
          records.map((record) => idOf(record, 'userId') ?? null),
          records.map((record) => idOf(record, 'projectId') ?? null),
          organizationId,
          list,
        ],
      })
      return toFates(rows)
    },
    insert: write,
    update: write,
    notes: (records) =>
      records.length === 0 ? [] : [`${records.length} records of ${list} are stored, not interpreted`],
  }
}

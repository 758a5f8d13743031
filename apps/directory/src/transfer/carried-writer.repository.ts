import type { ListName } from '@signet/file-formats/export/lists'
import {
  addCarried,
  type CarriedRow,
  type CarriedSealing,
  writeCarried,
} from '../carried/carried.repository.ts'
import { type Carried, carriedKey, idOf } from '../carried/carried-key.ts'
import { type ConflictRow, toConflicts } from '../database/import-table.repository.ts'
import { MESSAGE_LISTS } from '../mail/texts/mail.schema.ts'
import type { TypedWriter } from './record-writer.ts'

/** The messages that Signet sends read these records. */
const LISTS_THAT_ACT: ReadonlySet<ListName> = new Set(Object.values(MESSAGE_LISTS).map(({ list }) => list))

/** The rows of records of a list that is carried as a whole. */
export const carriedRows = (
  list: ListName,
  records: readonly Carried[],
  organizationIds: readonly string[],
): readonly CarriedRow[] =>
  records.map((record, index) => ({
    organizationId: organizationIds[index] ?? '',
    list,
    key: carriedKey(list, record),
    content: record,
    userId: idOf(record, 'userId'),
    projectId: idOf(record, 'projectId'),
  }))

/** Keeps records of a list, for messages and for the round trip. */
export function carriedWriter(list: ListName, sealing: CarriedSealing): TypedWriter<Carried> {
  const keyOf = (record: Carried) => carriedKey(list, record)
  const writeWith =
    (write: typeof addCarried): TypedWriter<Carried>['insert'] =>
    async (tx, records, { organizationIds }) => {
      await write(tx, sealing, carriedRows(list, records, organizationIds))
    }
  return {
    async findConflicts(tx, records, { organizationIds }) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.carried.find_conflicts', // primary keys
        text: `SELECT r.place,
                      CASE WHEN r.user_id IS NOT NULL AND a.user_id IS NULL THEN 'there is no such user'
                           WHEN r.project_id IS NOT NULL AND p.project_id IS NULL THEN 'there is no such project'
                      END AS missing
                 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                        WITH ORDINALITY AS r (record_key, user_id, project_id, organization_id, place)
                 LEFT JOIN directory.account a ON a.user_id = r.user_id
                 LEFT JOIN directory.project p ON p.project_id = r.project_id
                 LEFT JOIN directory.carried_record c
                        ON c.organization_id = r.organization_id AND c.list = $5 AND c.record_key = r.record_key
                WHERE r.user_id IS NOT NULL AND a.user_id IS NULL OR r.project_id IS NOT NULL AND p.project_id IS NULL
                   OR c.record_key IS NOT NULL`,
        values: [
          records.map(keyOf),
          records.map((record) => idOf(record, 'userId') ?? null),
          records.map((record) => idOf(record, 'projectId') ?? null),
          organizationIds,
          list,
        ],
      })
      return toConflicts(rows)
    },
    insert: writeWith(addCarried),
    update: writeWith(writeCarried),
    notes: (records) =>
      records.length === 0 || LISTS_THAT_ACT.has(list)
        ? []
        : [`${records.length} records of ${list} are stored, not interpreted`],
  }
}

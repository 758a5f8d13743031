import type { Queryable } from '@signet/platform/postgres/pool'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { openValue, sealValue } from '../sealing/sealed-value.ts'
import { writeRows } from './transfer-statements.ts'

/** Seals what is carried through; a record moved to another place does not open there. */
export interface CarriedSealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** The unknown fields of one record, or a record without columns, kept for the round trip. */
export interface CarriedRow {
  readonly list: string
  readonly key: string
  readonly content: Readonly<Record<string, unknown>>
  readonly userId?: string | undefined
  readonly projectId?: string | undefined
  readonly applicationId?: string | undefined
}

const purpose = (organizationId: string, list: string, key: string) =>
  `carried_record ${organizationId} ${list} ${key}`

/** Stores what has content; replaces what was carried for the same record before. */
export async function writeCarried(
  tx: Queryable,
  { masterKeys, random }: CarriedSealing,
  organizationId: string,
  carried: readonly CarriedRow[],
): Promise<void> {
  const rows = carried
    .filter(({ content }) => Object.values(content).some((value) => value !== undefined))
    .map(({ list, key, content, userId, projectId, applicationId }) => {
      const plain = Buffer.from(JSON.stringify(content))
      const sealed = sealValue(masterKeys, plain, purpose(organizationId, list, key), random)
      return {
        list,
        record_key: key,
        user_id: userId,
        project_id: projectId,
        application_id: applicationId,
        sealed_record: sealed.toString('base64'),
      }
    })
  await writeRows(tx, WRITE, rows, organizationId)
}

const WRITE = {
  name: 'transfer.carried.write', // primary key
  text: `INSERT INTO directory.carried_record (organization_id, list, record_key, user_id, project_id, application_id, sealed_record)
         SELECT $2, list, record_key, user_id, project_id, application_id, decode(sealed_record, 'base64')
           FROM json_to_recordset($1::json)
             AS r (list text, record_key text, user_id text, project_id text, application_id text, sealed_record text)
             ON CONFLICT (organization_id, list, record_key) DO UPDATE
            SET user_id = excluded.user_id, project_id = excluded.project_id,
                application_id = excluded.application_id, sealed_record = excluded.sealed_record`,
}

/** The content that was carried under a key. Throws when none of the keys opens it. */
export function openCarried(
  masterKeys: readonly Buffer[],
  organizationId: string,
  row: { readonly list: string; readonly record_key: string; readonly sealed_record: Buffer },
): Readonly<Record<string, unknown>> {
  const plain = openValue(masterKeys, row.sealed_record, purpose(organizationId, row.list, row.record_key))
  if (plain === undefined)
    throw new Error(`what is carried for ${row.list} of ${organizationId} does not open`)
  return JSON.parse(plain.toString('utf8'))
}

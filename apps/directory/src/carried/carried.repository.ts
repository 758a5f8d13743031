import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { writeRows } from '../database/import-table.repository.ts'
import { carriedPurpose, MasterKeyUnknownError } from '../sealing/purposes.ts'

/** Seals what is carried through; a record moved to another place does not open there. */
export interface CarriedSealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** The unknown fields of one record, or a record without columns, kept for the round trip. Null takes a field away. */
export interface CarriedRow {
  readonly organizationId: string
  readonly list: string
  readonly key: string
  readonly content: Readonly<Record<string, unknown>>
  readonly userId?: string | undefined
  readonly projectId?: string | undefined
  readonly applicationId?: string | undefined
}

/**
 * Stores what has content. Members that are left out stay as they were carried for the same record before. Equal content
 * stays as it is: sealed again it would look like a change. Returns the stored content of each row that has any.
 */
export async function writeCarried(
  tx: Queryable,
  sealing: CarriedSealing,
  carried: readonly CarriedRow[],
): Promise<readonly CarriedRow[]> {
  const given = withContent(carried)
  const before = await findCarried(tx, sealing.masterKeys, given)
  const present = given.flatMap((row) => {
    const stored = before.get(storedKey(row))
    const content = withoutNull(overlaid(stored ?? {}, plainJson(row.content)))
    return stored === undefined && Object.keys(content).length === 0 ? [] : [{ ...row, content }]
  })
  const changed = present.filter((row) => !isDeepStrictEqual(before.get(storedKey(row)), row.content))
  await writeRows(tx, WRITE, sealedRows(sealing, changed))
  return present
}

const withoutNull = (content: unknown): CarriedRow['content'] =>
  Object.fromEntries(Object.entries(content as object).filter(([, value]) => value !== null))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value with the members that another one gives, at every depth; a list is one value. */
function overlaid(stored: unknown, given: unknown): unknown {
  if (!isObject(stored) || !isObject(given)) return given
  const members = Object.entries(given).map(([name, value]) => [name, overlaid(stored[name], value)])
  return { ...stored, ...Object.fromEntries(members) }
}

/** Replaces what is carried for these records as a whole. */
export async function replaceCarried(
  tx: Queryable,
  sealing: CarriedSealing,
  carried: readonly CarriedRow[],
): Promise<void> {
  await writeRows(tx, WRITE, sealedRows(sealing, withContent(carried)))
}

/** Stores what has content, for records that are new. */
export async function addCarried(
  tx: Queryable,
  sealing: CarriedSealing,
  carried: readonly CarriedRow[],
): Promise<readonly CarriedRow[]> {
  const rows = withContent(carried.map((row) => ({ ...row, content: withoutNull(row.content) })))
  await writeRows(tx, ADD, sealedRows(sealing, rows))
  return rows
}

const withContent = (carried: readonly CarriedRow[]) =>
  carried.filter(({ content }) => Object.values(content).some((value) => value !== undefined))

function sealedRows({ masterKeys, random }: CarriedSealing, carried: readonly CarriedRow[]) {
  return carried.map(({ organizationId, list, key, content, userId, projectId, applicationId }) => {
    const plain = Buffer.from(JSON.stringify(content))
    const sealed = sealValue(masterKeys, plain, carriedPurpose(organizationId, list, key), random)
    return {
      organization_id: organizationId,
      list,
      record_key: key,
      user_id: userId,
      project_id: projectId,
      application_id: applicationId,
      sealed_record: sealed.toString('base64'),
    }
  })
}

const ADD = {
  name: 'transfer.carried.add',
  text: `INSERT INTO directory.carried_record (organization_id, list, record_key, user_id, project_id, application_id, sealed_record)
         SELECT organization_id, list, record_key, user_id, project_id, application_id, decode(sealed_record, 'base64')
           FROM json_to_recordset($1::json)
             AS r (organization_id text, list text, record_key text, user_id text, project_id text, application_id text,
                   sealed_record text)`,
}
const WRITE = {
  name: 'transfer.carried.write', // primary key
  text: `${ADD.text}
             ON CONFLICT (organization_id, list, record_key) DO UPDATE
            SET user_id = excluded.user_id, project_id = excluded.project_id,
                application_id = excluded.application_id, sealed_record = excluded.sealed_record`,
}

const storedKey = ({ organizationId, list, key }: CarriedRow) => `${organizationId} ${list} ${key}`

const plainJson = (content: unknown): unknown => JSON.parse(JSON.stringify(content))

/** The content that is carried for these records already, by `storedKey`. */
async function findCarried(
  tx: Queryable,
  masterKeys: readonly Buffer[],
  carried: readonly CarriedRow[],
): Promise<ReadonlyMap<string, unknown>> {
  if (carried.length === 0) return new Map()
  const { rows } = await tx.query<Parameters<typeof openCarried>[2] & { readonly place: number }>({
    name: 'transfer.carried.find', // primary key
    text: `SELECT r.place, c.list, c.record_key, c.sealed_record
             FROM unnest($1::text[], $2::text[], $3::text[])
                    WITH ORDINALITY AS r (organization_id, list, record_key, place)
             JOIN directory.carried_record c
               ON c.organization_id = r.organization_id AND c.list = r.list AND c.record_key = r.record_key
            ORDER BY c.organization_id, c.list, c.record_key
              FOR UPDATE OF c`,
    values: [
      carried.map(({ organizationId }) => organizationId),
      carried.map(({ list }) => list),
      carried.map(({ key }) => key),
    ],
  })
  return new Map(
    rows.flatMap((row) => {
      const asked = carried[row.place - 1]
      return asked === undefined
        ? []
        : [[storedKey(asked), openCarried(masterKeys, asked.organizationId, row)] as const]
    }),
  )
}

/** The content that was carried under a key. Throws when none of the keys opens it. */
export function openCarried(
  masterKeys: readonly Buffer[],
  organizationId: string,
  row: { readonly list: string; readonly record_key: string; readonly sealed_record: Buffer },
): Readonly<Record<string, unknown>> {
  const plain = openValue(
    masterKeys,
    row.sealed_record,
    carriedPurpose(organizationId, row.list, row.record_key),
  )
  if (plain === undefined) throw new MasterKeyUnknownError(`the record of ${row.list} of ${organizationId}`)
  return JSON.parse(plain.toString('utf8'))
}

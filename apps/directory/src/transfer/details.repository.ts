import type { RecordOf } from '@signet/file-formats/export/lists'
import { readPublicKey } from '@signet/file-formats/export/record-schemas/fields'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { columnTypes, defaultColumns, importedColumns } from '../database/field-columns.ts'
import {
  type ConflictRow,
  GIVEN,
  setGiven,
  toConflicts,
  withGiven,
  writeRows,
} from '../database/import-table.repository.ts'
import type { TypedWriter } from './record-writer.ts'
import { withoutUndefined } from './without-undefined.ts'

// Writers of the details of one organization, user, application or project.

export const userMetadataWriter = detailWriter<RecordOf<'userMetadata'>>({
  table: 'user_metadata',
  owner: 'user_id',
  key: 'key',
  values: { value: 'bytea' },
  ownerOf: ({ id }) => id,
  keyOf: ({ key }) => key,
  valuesOf: ({ value }) => ({ value: byteaOf(value) }),
  ownerJoins:
    'LEFT JOIN directory.account a ON a.user_id = r.owner AND a.organization_id = r.organization_id',
  found: 'a.user_id',
  missing: 'the organization has no such user',
})

export const organizationMetadataWriter = detailWriter<RecordOf<'orgMetadata'>>({
  table: 'organization_metadata',
  owner: 'organization_id',
  key: 'key',
  values: { value: 'bytea' },
  ownerOf: (_record, organizationId) => organizationId,
  keyOf: ({ key }) => key,
  valuesOf: ({ value }) => ({ value: byteaOf(value) }),
  ownerJoins:
    'LEFT JOIN directory.organization o ON o.organization_id = r.owner AND o.organization_id = r.organization_id',
  found: 'o.organization_id',
  missing: 'there is no such organization',
})

/** Finds the service user of a row in the organization of its record: `s.user_id`. */
export const SERVICE_USER = `LEFT JOIN directory.account a ON a.user_id = r.owner AND a.organization_id = r.organization_id
               LEFT JOIN directory.service_user s ON s.user_id = a.user_id`

/** Finds the application of a row in a project of the organization of its record: `p.project_id`. */
export const APPLICATION = `LEFT JOIN directory.application a ON a.application_id = r.owner
               LEFT JOIN directory.project p ON p.project_id = a.project_id AND p.organization_id = r.organization_id`

export const machineKeyWriter = detailWriter<RecordOf<'machineKeys'>>({
  table: 'machine_key',
  owner: 'user_id',
  key: 'kid',
  values: { jwk: 'jsonb', expires_at: 'timestamptz' },
  ownerOf: ({ userId }) => userId,
  keyOf: ({ keyId }) => keyId,
  valuesOf: publicKeyOf,
  createdAtOf: ({ creationDate }) => creationDate,
  problemOf: keyProblem,
  ownerJoins: SERVICE_USER,
  found: 's.user_id',
  missing: 'the organization has no such service user',
})

export const applicationKeyWriter = detailWriter<RecordOf<'appKeys'>>({
  table: 'application_key',
  owner: 'application_id',
  key: 'kid',
  values: { jwk: 'jsonb', expires_at: 'timestamptz' },
  ownerOf: ({ appId }) => appId,
  keyOf: ({ id }) => id,
  valuesOf: publicKeyOf,
  createdAtOf: ({ creationDate }) => creationDate,
  problemOf: keyProblem,
  ownerJoins: APPLICATION,
  found: 'p.project_id',
  missing: 'the organization has no such application',
})

export const projectRoleWriter = detailWriter<RecordOf<'projectRoles'>>({
  table: 'project_role',
  owner: 'project_id',
  key: 'role_key',
  values: columnTypes(ROLE_FIELDS),
  ownerOf: ({ projectId }) => projectId,
  keyOf: ({ roleKey }) => roleKey,
  valuesOf: (role) => ({
    ...importedColumns(ROLE_FIELDS, role),
    display_name: role.displayName === '' ? role.roleKey : role.displayName,
  }),
  initialOf: ({ roleKey }) => ({ ...defaultColumns(ROLE_FIELDS), display_name: roleKey }),
  ownerJoins:
    'LEFT JOIN directory.project p ON p.project_id = r.owner AND p.organization_id = r.organization_id',
  found: 'p.project_id',
  missing: 'the organization has no such project',
})

type KeyRecord = RecordOf<'machineKeys'> | RecordOf<'appKeys'>

function publicKeyOf({ publicKey, expirationDate }: KeyRecord) {
  return { jwk: readPublicKey(publicKey)?.export({ format: 'jwk' }), expires_at: expirationDate }
}

function keyProblem({ publicKey }: KeyRecord): string | undefined {
  const key = readPublicKey(publicKey)
  const problem = key === undefined ? 'must be base64 of a PEM public key' : publicKeyProblem(key)
  return problem === undefined ? undefined : `publicKey: ${problem}`
}

/** protojson also reads base64url and leaves padding out; PostgreSQL does not. */
function byteaOf(base64: string): string {
  return `\\x${Buffer.from(base64, 'base64').toString('hex')}`
}

/** A table whose rows belong to one object of the organization each and have a key below it. */
interface DetailTable<R> {
  readonly table: string
  /** The columns of the primary key. */
  readonly owner: string
  readonly key: string
  /** The other columns with their types in PostgreSQL. */
  readonly values: Readonly<Record<string, string>>
  readonly ownerOf: (record: R, organizationId: string) => string
  readonly keyOf: (record: R) => string
  readonly valuesOf: (record: R) => Readonly<Record<string, unknown>>
  /** The values of a new record, where it gives none. */
  readonly initialOf?: (record: R) => Readonly<Record<string, unknown>>
  /**
   * Reads the time of creation of a record, for tables that store it; a record without one gets the time of the
   * import.
   */
  readonly createdAtOf?: (record: R) => string | undefined
  /** Joins that find `r.owner` in the organization of the record; without it `found` is null and the record has no place. */
  readonly ownerJoins: string
  readonly found: string
  readonly missing: string
  /** The rule that a record breaks. */
  readonly problemOf?: (record: R) => string | undefined
}

export function detailWriter<R>(details: DetailTable<R>): TypedWriter<R> {
  const { table, owner, key, values, ownerOf, keyOf, createdAtOf, ownerJoins, found, missing } = details
  const valueColumns = Object.keys(values)
  const created = createdAtOf === undefined ? {} : { created_at: 'timestamptz' }
  const columns = [owner, key, ...valueColumns]
  const keyTypes = { [owner]: 'text', [key]: 'text' }
  const conflicts = {
    name: `transfer.${table}.find_conflicts`, // primary keys
    text: `SELECT r.place, CASE WHEN ${found} IS NULL THEN '${missing}' END AS missing
             FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS r (owner, key, organization_id, place)
             ${ownerJoins}
             LEFT JOIN directory.${table} d ON d.${owner} = r.owner AND d.${key} = r.key
            WHERE ${found} IS NULL OR d.${owner} IS NOT NULL`,
  }
  // Violates the primary key when a parallel transaction added the same.
  const add = {
    name: `transfer.${table}.add`,
    text: `INSERT INTO directory.${table} (${[...columns, ...Object.keys(created)].join(', ')})
           SELECT ${[...columns, ...(createdAtOf ? ['coalesce(created_at, $2::timestamptz)'] : [])].join(', ')}
             FROM ${recordOf({ ...keyTypes, ...values, ...created })}`,
  }
  const change = {
    name: `transfer.${table}.change`, // primary key
    text: `UPDATE directory.${table} t SET ${setGiven(valueColumns)}
             FROM ${recordOf({ ...keyTypes, ...values, [GIVEN]: 'text[]' })}
            WHERE t.${owner} = r.${owner} AND t.${key} = r.${key}`,
  }
  const rowOf = (record: R, organizationId: string) => ({
    [owner]: ownerOf(record, organizationId),
    [key]: keyOf(record),
    ...details.valuesOf(record),
    ...(createdAtOf && { created_at: createdAtOf(record) }),
  })
  const refusedOf = (records: readonly R[]) =>
    new Map(
      records.flatMap((record, index) => {
        const problem = details.problemOf?.(record)
        return problem === undefined ? [] : [[index, problem] as const]
      }),
    )
  const rowsOf = (records: readonly R[], organizationIds: readonly string[]) =>
    records.map((record, index) => rowOf(record, organizationIds[index] ?? ''))
  return {
    underRules: (_tx, records) => ({ records, leftOut: [], refused: refusedOf(records) }),
    async findConflicts(tx, records, { organizationIds }) {
      const { rows } = await tx.query<ConflictRow>({
        ...conflicts,
        values: [
          records.map((record, index) => ownerOf(record, organizationIds[index] ?? '')),
          records.map(keyOf),
          organizationIds,
        ],
      })
      return toConflicts(rows)
    },
    async insert(tx, records, { organizationIds, acceptedAt }) {
      const rows = rowsOf(records, organizationIds).map((row, index) => ({
        ...details.initialOf?.(records[index] as R),
        ...withoutUndefined(row),
      }))
      await writeRows(tx, add, rows, ...(createdAtOf ? [acceptedAt] : []))
    },
    async update(tx, records, { organizationIds }) {
      await writeRows(tx, change, rowsOf(records, organizationIds).map(withGiven))
    },
  }
}

function recordOf(types: Readonly<Record<string, string>>): string {
  return `json_to_recordset($1::json) AS r (${Object.entries(types)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')})`
}

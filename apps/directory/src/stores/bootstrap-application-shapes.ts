import type { Queryable } from '@signet/platform/postgres/pool'
import { type ApplicationType, SETTING_NAMES } from '@signet/protocol/application-settings'
import { fileNameOf } from '../applications/application.schema.ts'
import { APPLICATION_DEFAULTS } from '../applications/application-defaults.ts'
import type { FieldValues, PlacedObject } from '../bootstrap/object-writer.ts'
import { applicationColumns } from './application-columns.ts'
import { type CredentialWriting, setClientSecret } from './bootstrap-credentials.ts'
import { endMarks, unstatedMarks } from './bootstrap-marks.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'

type Kind = 'application' | 'application_key'

export function applicationShapes(
  tx: Queryable,
  writing: CredentialWriting,
): Readonly<Record<Kind, TableShape>> {
  return {
    application: {
      table: 'application',
      identity: ({ id }) => ({ application_id: id }),
      owner: (object) => ({ project_id: ownerId(object) }),
      initial: (_, values: FieldValues) => ({
        client_id: writing.newId(),
        created_at: writing.now(),
        ...applicationColumns(APPLICATION_DEFAULTS[values.get('type') as ApplicationType]),
      }),
      columns: COLUMNS,
      touched: unstatedMarks,
      stored: { type: (object) => storedType(tx, object) },
      effects: {
        clientSecret: ({ id }, secret) =>
          setClientSecret(tx, writing, { kind: 'application', id }, String(secret)),
      },
    },
    application_key: {
      table: 'application_key',
      identity: (object) => ({ application_id: ownerId(object), kid: object.id }),
      columns: { jwk: (jwk) => ({ jwk: JSON.stringify(jwk) }) },
      effects: { jwk: ({ parent }) => endMarks(tx, parent) },
    },
  }
}

const COLUMNS: TableShape['columns'] = {
  ...Object.fromEntries(
    SETTING_NAMES.map((setting) => [
      fileNameOf(setting),
      (value) => applicationColumns({ [setting]: value }),
    ]),
  ),
}

async function storedType(tx: Queryable, { id }: PlacedObject): Promise<string | undefined> {
  const { rows } = await tx.query<{ type: string }>({
    name: 'bootstrap.application.read_type', // primary key
    text: `SELECT CASE type WHEN 'user_agent' THEN 'userAgent' ELSE type END AS type
             FROM directory.application WHERE application_id = $1`,
    values: [id],
  })
  return rows[0]?.type
}

import type { Queryable } from '@signet/platform/postgres/pool'
import {
  type ApplicationType,
  RECIPIENT_SETTINGS,
  SETTING_NAMES,
} from '@signet/protocol/application-settings'
import { fileNameOf } from '../applications/application.schema.ts'
import { APPLICATION_DEFAULTS } from '../applications/application-defaults.ts'
import { MARKS } from '../applications/marks.ts'
import type { FieldValues, PlacedObject } from '../bootstrap/object-writer.ts'
import { applicationColumns } from './application-columns.ts'
import { type CredentialWriting, setClientSecret } from './bootstrap-credentials.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'
import type { Columns } from './row-statement.ts'

/** Members of an entry that decide who gets the tokens of an application. */
const RECIPIENT_MEMBERS = [...RECIPIENT_SETTINGS, 'clientSecret'] as const

/** The marks that a change of an entry takes away because the entry does not state them. */
function unstatedMarks(application: PlacedObject, values: FieldValues): Columns {
  return RECIPIENT_MEMBERS.some((member) => values.has(member)) ? marksNotStated(application) : {}
}

/** Takes the marks away that the entry of an application does not state, since one of its keys changes. */
async function endMarks(tx: Queryable, application: PlacedObject | undefined): Promise<void> {
  if (application === undefined) return
  const unstated = Object.keys(marksNotStated(application))
  await tx.query({
    name: 'bootstrap.application.end_marks', // primary key
    text: `UPDATE directory.application
              SET may_call_api = may_call_api AND NOT $2::boolean, first_party = first_party AND NOT $3::boolean
            WHERE application_id = $1 AND ((may_call_api AND $2::boolean) OR (first_party AND $3::boolean))`,
    values: [application.id, unstated.includes('may_call_api'), unstated.includes('first_party')],
  })
}

function marksNotStated({ desired }: PlacedObject): Columns {
  const stated = new Map(desired.fields.map(({ name, value }) => [name, value]))
  const unstated = MARKS.filter((mark) => stated.get(mark) !== true)
  return applicationColumns(Object.fromEntries(unstated.map((mark) => [mark, false])))
}

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

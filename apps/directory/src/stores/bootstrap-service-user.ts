import type { Queryable } from '@signet/platform/postgres/pool'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'
import { addServiceUserRow } from './service-user-row.ts'

/** The fields of a service user that lie in a row beside its account. */
const COLUMNS = {
  clientId: 'client_id',
  accessTokenType: 'access_token_type',
  accessTokenSigningAlg: 'access_token_signing_alg',
} as const

/** Makes that row. Without a client id in the file the user name becomes one. */
export async function addServiceUser(
  tx: Queryable,
  object: PlacedObject,
  generatedClientId: string,
): Promise<void> {
  const fieldValue = (name: string) => object.desired.fields.find((field) => field.name === name)?.value
  const userName = fieldValue('clientId') === undefined ? String(fieldValue('userName')) : null
  const organizationId = ownerId(object)
  await addServiceUserRow(tx, {
    userId: object.id,
    organizationId,
    userName,
    reuses: true,
    generatedClientId,
  })
}

export function serviceUserFields(tx: Queryable): Required<Pick<TableShape, 'stored' | 'effects'>> {
  const fields = Object.entries(COLUMNS)
  return {
    stored: Object.fromEntries(
      fields.map(([field, column]) => [
        field,
        async ({ id }) => {
          const { rows } = await tx.query<{ value: unknown }>({
            name: `bootstrap.service_user.read_${column}`, // primary key
            text: `SELECT ${column} AS value FROM directory.service_user WHERE user_id = $1`,
            values: [id],
          })
          return rows[0]?.value
        },
      ]),
    ),
    effects: Object.fromEntries(
      fields.map(([field, column]) => [
        field,
        async ({ id }, value) => {
          await tx.query({
            name: `bootstrap.service_user.${column}`, // primary key
            text: `UPDATE directory.service_user SET ${column} = $2 WHERE user_id = $1`,
            values: [id, value],
          })
        },
      ]),
    ),
  }
}

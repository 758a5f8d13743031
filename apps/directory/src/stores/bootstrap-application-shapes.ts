import type { Queryable } from '@signet/postgres/pool'
import type { ApplicationType } from '../applications/application.ts'
import { APPLICATION_DEFAULTS } from '../applications/application-defaults.ts'
import type { FieldValues } from '../bootstrap/merge-bootstrap.ts'
import { APPLICATION_SETTINGS, applicationColumns } from './application-columns.ts'
import { type CredentialWriting, setClientSecret } from './bootstrap-credentials.ts'
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
      effects: {
        clientSecret: ({ id }, secret) =>
          setClientSecret(
            tx,
            writing,
            { table: 'application_secret', column: 'application_id', id },
            String(secret),
          ),
      },
    },
    application_key: {
      table: 'application_key',
      identity: (object) => ({ application_id: ownerId(object), kid: object.id }),
      columns: { jwk: (jwk) => ({ jwk: JSON.stringify(jwk) }) },
    },
  }
}

const COLUMNS: TableShape['columns'] = {
  ...Object.fromEntries(
    APPLICATION_SETTINGS.map((setting) => [setting, (value) => applicationColumns({ [setting]: value })]),
  ),
  accessTokenLifetime: (access_token_lifetime_seconds) => ({ access_token_lifetime_seconds }),
  idTokenLifetime: (id_token_lifetime_seconds) => ({ id_token_lifetime_seconds }),
}

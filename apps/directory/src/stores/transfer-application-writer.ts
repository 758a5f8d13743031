import type { RecordOf } from '@signet/file-formats/export/records'
import {
  type ApplicationRow,
  apiApplicationRow,
  applicationExtras,
  oidcApplicationRow,
  secretRows,
} from '../transfer/application-rows.ts'
import { apiApplicationsUnderRules, oidcApplicationsUnderRules } from '../transfer/application-rules.ts'
import type { RuledRecords, TypedWriter } from '../transfer/record-writer.ts'
import { type CarriedSealing, writeCarried } from './transfer-carried.ts'
import { setSecrets } from './transfer-secret-statement.ts'
import { type FateRow, toFates, writeRows } from './transfer-statements.ts'

type AnyApplication = RecordOf<'oidcApps'> | RecordOf<'apiApps'>

export function oidcApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'oidcApps'>> {
  return applicationWriter('oidcApps', oidcApplicationRow, oidcApplicationsUnderRules, sealing)
}

export function apiApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'apiApps'>> {
  return applicationWriter('apiApps', apiApplicationRow, apiApplicationsUnderRules, sealing)
}

function applicationWriter<R extends AnyApplication>(
  list: string,
  rowOf: (application: R) => ApplicationRow,
  underRules: (applications: readonly R[]) => RuledRecords<R>,
  sealing: CarriedSealing,
): TypedWriter<R> {
  const writeWith = (statement: typeof ADD): TypedWriter<R>['insert'] => {
    return async (tx, applications, { organizationId, acceptedAt }) => {
      await writeRows(tx, statement, applications.map(rowOf), acceptedAt)
      const secrets = applications.flatMap(({ appId, app }) => secretRows(appId, app))
      await writeRows(tx, SET_SECRETS, secrets)
      const extras = applications.map((application) => {
        const { appId } = application
        return { list, key: appId, applicationId: appId, content: applicationExtras(application) }
      })
      await writeCarried(tx, sealing, organizationId, extras)
    }
  }
  return {
    underRules: (_tx, applications) => underRules(applications),
    async fates(tx, applications, { organizationId }) {
      const { rows } = await tx.query<FateRow>({
        name: 'transfer.application.fates', // primary keys
        text: `SELECT r.place,
                      CASE WHEN own.project_id IS NULL THEN 'the organization has no such project'
                           WHEN old.organization_id <> $4 THEN 'the application belongs to another organization'
                           WHEN p.owner_kind <> 'application' OR p.owner_id <> r.application_id
                           THEN 'the client id belongs to another user, service user or application'
                      END AS reason
                 FROM unnest($1::text[], $2::text[], $3::text[])
                        WITH ORDINALITY AS r (application_id, client_id, project_id, place)
                 LEFT JOIN directory.project own ON own.project_id = r.project_id AND own.organization_id = $4
                 LEFT JOIN directory.application a ON a.application_id = r.application_id
                 LEFT JOIN directory.project old ON old.project_id = a.project_id
                 LEFT JOIN directory.principal p ON p.principal_id = r.client_id
                WHERE own.project_id IS NULL OR a.application_id IS NOT NULL OR p.principal_id IS NOT NULL`,
        values: [
          applications.map(({ appId }) => appId),
          applications.map(({ appId, app }) => app.clientId ?? appId),
          applications.map(({ app }) => app.projectId),
          organizationId,
        ],
      })
      return toFates(rows)
    },
    insert: writeWith(ADD),
    update: writeWith(CHANGE),
    notes: (applications) =>
      applications.flatMap(({ appId, app }) => {
        const needsSecret = /BASIC|POST/.test(app.authMethodType ?? 'BASIC')
        const hasSecret = app.clientSecretHash !== undefined || app.clientSecretHashes !== undefined
        const newId =
          app.clientId === undefined ? [`application ${appId}: its client id is now ${appId}`] : []
        const noSecret =
          needsSecret && !hasSecret ? [`application ${appId}: came without a client secret`] : []
        const noMark = (['mayCallApi', 'firstParty'] as const)
          .filter((mark) => app[mark])
          .map((mark) => `application ${appId}: ${mark} is not imported; an IAM_OWNER sets it`)
        return [...newId, ...noSecret, ...noMark]
      }),
  }
}

const TYPES = {
  client_id: 'text',
  project_id: 'text',
  name: 'text',
  state: 'text',
  type: 'text',
  auth_method: 'text',
  redirect_uris: 'text[]',
  post_logout_redirect_uris: 'text[]',
  response_types: 'text[]',
  grant_types: 'text[]',
  access_token_type: 'text',
  access_token_signing_alg: 'text',
  id_token_signing_alg: 'text',
  access_token_lifetime_seconds: 'integer',
  id_token_lifetime_seconds: 'integer',
  id_token_userinfo_assertion: 'boolean',
  access_token_role_assertion: 'boolean',
  id_token_role_assertion: 'boolean',
  back_channel_logout_uri: 'text',
  allowed_origins: 'text[]',
  dev_mode: 'boolean',
  pkce_optional: 'boolean',
  refresh_tokens_survive_logout: 'boolean',
  may_call_api: 'boolean',
  first_party: 'boolean',
} as const satisfies Record<Exclude<keyof ApplicationRow, 'application_id'>, string>

const COLUMNS = Object.keys(TYPES)
const RECORD = `json_to_recordset($1::json) AS r (application_id text, ${Object.entries(TYPES)
  .map(([column, type]) => `${column} ${type}`)
  .join(', ')})`

const ADD = {
  name: 'transfer.application.add',
  text: `INSERT INTO directory.application (application_id, ${COLUMNS.join(', ')}, created_at)
         SELECT application_id, ${COLUMNS.join(', ')}, $2::timestamptz FROM ${RECORD}`,
}
const CHANGE = {
  name: 'transfer.application.change', // primary key
  text: `UPDATE directory.application a SET ${COLUMNS.map((column) => `${column} = r.${column}`).join(', ')}
           FROM ${RECORD} WHERE a.application_id = r.application_id AND $2::timestamptz IS NOT NULL`,
}
const SET_SECRETS = setSecrets('application_secret', 'application_id')

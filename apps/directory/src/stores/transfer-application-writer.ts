import type { RecordOf } from '@signet/file-formats/export/records'
import { APPLICATION_COLUMNS, forKinds, SETTING_NAMES } from '@signet/protocol/application-settings'
import { MARKS } from '../applications/application-rules.ts'
import {
  apiApplication,
  applicationExtras,
  type ImportedApplication,
  oidcApplication,
  secretRows,
} from '../transfer/application-rows.ts'
import { apiApplicationsUnderRules, oidcApplicationsUnderRules } from '../transfer/application-rules.ts'
import type { RuledRecords, TypedWriter } from '../transfer/record-writer.ts'
import { applicationColumns } from './application-columns.ts'
import type { Columns } from './row-statement.ts'
import { type CarriedSealing, writeCarried } from './transfer-carried.ts'
import { setSecrets } from './transfer-secret-statement.ts'
import { type FateRow, toFates, writeRows } from './transfer-statements.ts'

type AnyApplication = RecordOf<'oidcApps'> | RecordOf<'apiApps'>

export function oidcApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'oidcApps'>> {
  return applicationWriter('oidcApps', oidcApplication, oidcApplicationsUnderRules, sealing)
}

export function apiApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'apiApps'>> {
  return applicationWriter('apiApps', apiApplication, apiApplicationsUnderRules, sealing)
}

function applicationWriter<R extends AnyApplication>(
  list: string,
  settingsOf: (application: R) => ImportedApplication,
  underRules: (applications: readonly R[]) => RuledRecords<R>,
  sealing: CarriedSealing,
): TypedWriter<R> {
  const writeWith = (statement: typeof ADD): TypedWriter<R>['insert'] => {
    return async (tx, applications, { organizationId, acceptedAt }) => {
      await writeRows(tx, statement, applications.map(settingsOf).map(rowOf), acceptedAt)
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
        const noMark = MARKS.filter((mark) => app[mark]).map(
          (mark) => `application ${appId}: ${mark} is not imported; an IAM_OWNER sets it`,
        )
        return [...newId, ...noSecret, ...noMark]
      }),
  }
}

function rowOf({ id, projectId, ...settings }: ImportedApplication): Columns {
  return { application_id: id, project_id: projectId, ...applicationColumns(settings) }
}

const SQL_TYPES = forKinds({
  text: 'text',
  type: 'text',
  authMethod: 'text',
  responseTypes: 'text[]',
  grantTypes: 'text[]',
  tokenType: 'text',
  signingAlg: 'text',
  lifetime: 'integer',
  uri: 'text',
  uris: 'text[]',
  flag: 'boolean',
})
const COLUMNS = ['project_id', 'state', ...Object.values(APPLICATION_COLUMNS)]
const SETTINGS = SETTING_NAMES.map((name) => `${APPLICATION_COLUMNS[name]} ${SQL_TYPES[name]}`)
const RECORD = `json_to_recordset($1::json)
  AS r (application_id text, project_id text, state text, ${SETTINGS.join(', ')})`

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

import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { APPLICATION_COLUMNS, forKinds, SETTING_NAMES } from '@signet/protocol/application-settings'
import {
  CERTIFICATE_NAMES,
  forCertificateNames,
  registeredCertificateName,
} from '@signet/protocol/certificate-subject'
import { type ClaimMapping, claimMappingProblems } from '@signet/protocol/claim-mapping'
import { type CrossAppAccess, crossAppAccessProblems } from '@signet/protocol/cross-app-access'
import { applicationUrlProblem, originProblem, redirectUriProblem } from '@signet/protocol/redirect-uri'
import { type Application, MOST_LIFETIME_SECONDS } from '../applications/application.schema.ts'
import { APPLICATION_SELECT_LIST, applicationColumns } from '../applications/application-columns.ts'
import { applicationProblems, OWNER_ONLY_FLAGS } from '../applications/application-rules.ts'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { type ConflictRow, setSecrets, toConflicts, writeRows } from '../database/import-table.repository.ts'
import type { Columns } from '../database/row-statement.ts'
import {
  API_AUTH_METHODS,
  AUTH_METHODS,
  apiApplication,
  applicationExtras,
  type GivenApplication,
  type ImportedApplication,
  importedApplication,
  oidcApplication,
  secretRows,
} from './application-rows.ts'
import {
  leaveOut,
  memberLeftOut,
  type PartRules,
  type RuledRecords,
  type TypedWriter,
} from './record-writer.ts'
import { signingAlgorithmProblems } from './signing-algorithms.repository.ts'

type AnyApplication = RecordOf<'oidcApps'> | RecordOf<'apiApps'>

export function oidcApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'oidcApps'>> {
  return applicationWriter('oidcApps', oidcApplication, sealing)
}

export function apiApplicationWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'apiApps'>> {
  return applicationWriter('apiApps', apiApplication, sealing)
}

function applicationWriter<R extends AnyApplication>(
  list: string,
  settingsOf: (application: R) => GivenApplication,
  sealing: CarriedSealing,
): TypedWriter<R> {
  const importedAs = (application: R, stored?: ImportedApplication) =>
    importedApplication(application, settingsOf(application), stored)
  const writeWith = (statement: typeof ADD): TypedWriter<R>['insert'] => {
    return async (tx, applications, { organizationIds, acceptedAt }) => {
      const stored = statement === CHANGE ? await findStored(tx, applications) : new Map<string, never>()
      const rows = applications.map((application) => ({
        ...rowOf(importedAs(application, stored.get(application.appId))),
        created_at: application.creationDate,
      }))
      await writeRows(tx, statement, rows, acceptedAt)
      const secrets = applications.flatMap(({ appId, app }) => secretRows(appId, app))
      await writeRows(tx, SET_SECRETS, secrets)
      const extras = applications.map((application, index) => {
        const { appId } = application
        const organizationId = organizationIds[index] ?? ''
        return {
          organizationId,
          list,
          key: appId,
          applicationId: appId,
          content: applicationExtras(application),
        }
      })
      await writeCarried(tx, sealing, extras)
    }
  }
  return {
    async underRules(tx, applications) {
      const stored = await findStored(tx, applications)
      const refused = await signingAlgorithmProblems(tx)
      return underRules(applications, (application) => {
        const before = stored.get(application.appId)
        return {
          ...rulesFor(importedAs(application, before)),
          ...signingRules(before, refused),
        }
      })
    },
    findConflicts,
    insert: writeWith(ADD),
    update: writeWith(CHANGE),
    notes,
  }
}

async function findConflicts(
  tx: Queryable,
  applications: readonly AnyApplication[],
  { organizationIds }: { readonly organizationIds: readonly string[] },
) {
  const { rows } = await tx.query<ConflictRow>({
    name: 'transfer.application.find_conflicts', // primary keys
    text: `SELECT r.place,
                  CASE WHEN own.project_id IS NULL THEN 'the organization has no such project' END AS missing,
                  CASE WHEN old.organization_id <> r.organization_id THEN 'the application belongs to another organization'
                       WHEN p.owner_kind <> 'application' OR p.owner_id <> r.application_id
                       THEN 'the client id belongs to another user, service user or application'
                  END AS reason
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                    WITH ORDINALITY AS r (application_id, client_id, project_id, organization_id, place)
             LEFT JOIN directory.project own ON own.project_id = r.project_id AND own.organization_id = r.organization_id
             LEFT JOIN directory.application a ON a.application_id = r.application_id
             LEFT JOIN directory.project old ON old.project_id = a.project_id
             LEFT JOIN directory.principal p
                    ON p.principal_id = coalesce(r.client_id, CASE WHEN a.application_id IS NULL THEN r.application_id END)
            WHERE own.project_id IS NULL OR a.application_id IS NOT NULL OR p.principal_id IS NOT NULL`,
    values: [
      applications.map(({ appId }) => appId),
      applications.map(({ app }) => app.clientId ?? null),
      applications.map(({ app }) => app.projectId),
      organizationIds,
    ],
  })
  return toConflicts(rows)
}

async function notes(applications: readonly AnyApplication[], tx: Queryable): Promise<readonly string[]> {
  const stored = await findStored(tx, applications)
  return applications.flatMap(({ appId, app }) => {
    const { clientId, ...marks } = stored.get(appId) ?? { clientId: appId }
    const named = `application ${appId}${clientId === appId ? '' : ` (client_id ${clientId})`}`
    const isInBrowser = 'appType' in app && app.appType === 'OIDC_APP_TYPE_USER_AGENT'
    const needsSecret = !isInBrowser && /BASIC|POST/.test(app.authMethodType ?? 'BASIC')
    const hasSecret = app.clientSecretHash !== undefined || app.clientSecretHashes !== undefined
    const newId =
      app.clientId === undefined && clientId === appId
        ? [`application ${appId}: its client id is now ${appId}`]
        : []
    const noSecret = needsSecret && !hasSecret ? [`${named}: came without a client secret`] : []
    // The format leaves the first method, a secret, out.
    const isMadePublic = isInBrowser && app.authMethodType === undefined && !stored.has(appId)
    const noMethod = isMadePublic ? [`${named}: it runs in the browser, so its authMethod is now none`] : []
    const noMark = OWNER_ONLY_FLAGS.filter(
      (mark) => app[mark] && !('mayCallApi' in marks && marks[mark]),
    ).map((mark) => `${named}: ${mark} is not imported; an IAM_OWNER sets it`)
    return [...newId, ...noSecret, ...noMethod, ...noMark]
  })
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
  groupsClaim: 'text',
  claimMapping: 'jsonb',
  crossAppAccess: 'jsonb',
  certificateName: 'text',
})
const COLUMNS = ['project_id', 'state', ...Object.values(APPLICATION_COLUMNS)]
const SETTINGS = SETTING_NAMES.map((name) => `${APPLICATION_COLUMNS[name]} ${SQL_TYPES[name]}`)
const RECORD = `json_to_recordset($1::json)
  AS r (application_id text, project_id text, state text, created_at timestamptz, ${SETTINGS.join(', ')})`

const ADD = {
  name: 'transfer.application.add',
  text: `INSERT INTO directory.application (application_id, ${COLUMNS.join(', ')}, created_at)
         SELECT application_id, ${COLUMNS.join(', ')}, coalesce(created_at, $2::timestamptz) FROM ${RECORD}`,
}
const CHANGE = {
  name: 'transfer.application.change', // primary key
  text: `UPDATE directory.application a SET ${COLUMNS.map((column) => `${column} = r.${column}`).join(', ')}
           FROM ${RECORD} WHERE a.application_id = r.application_id AND $2::timestamptz IS NOT NULL`,
}
const SET_SECRETS = setSecrets('application_secret', 'application_id')

/** Finds the applications that exist, by id. */
async function findStored(
  tx: Queryable,
  applications: readonly AnyApplication[],
): Promise<ReadonlyMap<string, ImportedApplication>> {
  const { rows } = await tx.query<Application>({
    name: 'transfer.application.stored', // primary key
    text: `SELECT ${APPLICATION_SELECT_LIST} FROM directory.application a WHERE a.application_id = ANY ($1::text[])`,
    values: [applications.map(({ appId }) => appId)],
  })
  return new Map(rows.map(({ createdAt: _, ...settings }) => [settings.id, settings]))
}

/** Applications without the URIs, lifetimes and signing algorithms that the management API and the bootstrap file refuse. */
function underRules<R extends AnyApplication>(
  applications: readonly R[],
  rulesOf: (application: R) => PartRules,
): RuledRecords<R> {
  const ruled = applications.map((application) => {
    const { kept, problems } = leaveOut(application.app, rulesOf(application))
    const mapping = mappingUnderRules(kept.claimMapping)
    const access = accessUnderRules(kept.crossAppAccess)
    return {
      kept: { ...kept, claimMapping: mapping.kept, crossAppAccess: access.kept },
      problems: [...problems, ...mapping.problems, ...access.problems],
    }
  })
  return {
    records: applications.map((application, index) => ({ ...application, app: ruled[index]?.kept })),
    leftOut: ruled.flatMap(({ problems }, index) =>
      problems.map((problem) => memberLeftOut(index, { ...problem, field: `app.${problem.field}` })),
    ),
    refused: new Map(),
  }
}

/** The mapping without the claims that break a rule; undefined where a rule is about the mapping as a whole. */
function mappingUnderRules(mapping: ClaimMapping | undefined) {
  const broken = claimMappingProblems(mapping ?? {})
  const names = broken.map(({ claim }) => claim)
  const rest = Object.entries(mapping ?? {}).filter(([claim]) => !names.includes(claim))
  return {
    kept: mapping === undefined || names.includes(undefined) ? undefined : Object.fromEntries(rest),
    problems: broken.map(({ claim, rule }) => ({
      field: claim === undefined ? 'claimMapping' : `claimMapping.${claim}`,
      rule,
    })),
  }
}

/** The same for the authorization servers that an application may reach. */
function accessUnderRules(access: CrossAppAccess | undefined) {
  const broken = crossAppAccessProblems(access ?? {})
  const issuers = broken.map(({ issuer }) => issuer)
  const rest = Object.entries(access ?? {}).filter(([issuer]) => !issuers.includes(issuer))
  return {
    kept: access === undefined || issuers.includes(undefined) ? undefined : Object.fromEntries(rest),
    problems: broken.map(({ issuer, rule }) => ({
      field: issuer === undefined ? 'crossAppAccess' : `crossAppAccess.${issuer}`,
      rule,
    })),
  }
}

function rulesFor(application: ImportedApplication): PartRules {
  const registered = (uri: string) => redirectUriProblem(uri, application)
  return {
    authMethodType: (given) =>
      applicationProblems({
        ...application,
        authMethod: { ...AUTH_METHODS, ...API_AUTH_METHODS }[given],
        // Its rules apply at each sign-in; an import leaves the settings as the document has them.
        ...{ fapi2: false, tlsClientCertificateBoundAccessTokens: false },
        exactLocalhostPort: false,
        redirectUris: [],
        postLogoutRedirectUris: [],
        ...{ backChannelLogoutUri: null, homePage: null, initiateLoginUri: null },
      })[0]?.rule,
    redirectUris: registered,
    postLogoutRedirectUris: registered,
    additionalOrigins: originProblem,
    // protojson writes what is absent as an empty text.
    backChannelLogoutUri: (uri) => (uri === '' ? undefined : applicationUrlProblem(uri, application.devMode)),
    homePage: (uri) => applicationUrlProblem(uri, application.devMode),
    initiateLoginUri: (uri) => applicationUrlProblem(uri, application.devMode),
    ...forCertificateNames((name) => (value: string) => {
      const { rule, canonical } = CERTIFICATE_NAMES[name]
      if (canonical(value) === undefined) return rule
      return registeredCertificateName(application) === undefined ? ONE_NAME : undefined
    }),
    accessTokenLifetime: lifetimeProblem,
    idTokenLifetime: lifetimeProblem,
  }
}

const ONE_NAME = 'an application with tls_client_auth has exactly one name of its certificate, others none'

/** An application may keep the algorithms that it has. */
function signingRules(
  stored: ImportedApplication | undefined,
  refused: ReadonlyMap<string, string>,
): PartRules {
  const unless = (kept: string | undefined) => (algorithm: string) =>
    algorithm === kept ? undefined : refused.get(algorithm)
  return {
    accessTokenSigningAlg: unless(stored?.accessTokenSigningAlg),
    idTokenSigningAlg: unless(stored?.idTokenSigningAlg),
  }
}

function lifetimeProblem(duration: string): string | undefined {
  const seconds = Math.trunc(Number.parseFloat(duration))
  return seconds >= 1 && seconds <= MOST_LIFETIME_SECONDS
    ? undefined
    : `must be from 1s to ${MOST_LIFETIME_SECONDS}s; that of the instance holds`
}

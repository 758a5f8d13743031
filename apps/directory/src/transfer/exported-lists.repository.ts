import { LIST_NAMES, type ListName, shapeOf } from '@signet/file-formats/export/lists'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import type { Application } from '../applications/application.schema.ts'
import { APPLICATION_SELECT_LIST } from '../applications/application-columns.ts'
import { openCarried } from '../carried/carried.repository.ts'
import { openAuthenticators } from '../credentials/totp.ts'
import { columnNames, createExport } from '../database/field-columns.ts'
import { type ExportedPasskeys, PASSKEYS, passkeysOf } from './exported-passkeys.ts'
import {
  type ExportedLink,
  type ExportedProvider,
  LINKS,
  linkRecord,
  PROVIDERS,
  providerRecord,
} from './exported-providers.ts'
import {
  applicationRecord,
  type ExportedAccount,
  type ExportedServiceUser,
  type ExportedTrust,
  humanUserRecord,
  machineUserRecord,
  type StoredSecret,
  timestamp,
  trustMembers,
  withoutSecrets,
  withoutZeros,
} from './exported-records.ts'
import { PERSON_COLUMNS } from './user-rows.ts'

export interface ExportChoices {
  readonly withPasswords: boolean
  readonly withOtp: boolean
  readonly withPasskeys: boolean
  /** Whether secrets of identity providers are exported. */
  readonly withSecrets: boolean
}

interface ExportSurroundings extends ExportChoices {
  readonly organizationId: string
  readonly masterKeys: readonly Buffer[]
}

/** How the records of a list are read: o.id is the organization in every statement, which sorts what it has. */
export interface ExportedList {
  readonly list: ListName
  readonly text: (choices: ExportChoices) => string
  /** Undefined: the row is no record. */
  record(row: never, surroundings: ExportSurroundings): Readonly<Record<string, unknown>> | undefined
}

/** Joins the unknown fields of a row's record in the same statement; carried_record by its primary key. */
const CARRIED = (list: string, key: string) =>
  `LEFT JOIN directory.carried_record c ON c.organization_id = o.id AND c.list = '${list}' AND c.record_key = ${key}`

interface WithCarried {
  readonly list: string | null
  readonly record_key: string | null
  readonly sealed_record: Buffer | null
}
const exportProject = createExport(PROJECT_FIELDS)
const exportRole = createExport(ROLE_FIELDS)

const CARRIED_COLUMNS = 'c.list, c.record_key, c.sealed_record'

function extrasOf(
  { list, record_key, sealed_record }: WithCarried,
  { masterKeys, organizationId }: ExportSurroundings,
): Readonly<Record<string, unknown>> {
  if (list === null || record_key === null || sealed_record === null) return {}
  return openCarried(masterKeys, organizationId, { list, record_key, sealed_record })
}

const ACCOUNT = [
  ...['user_id', 'kind', 'user_name', 'user_name_key', 'state', ...PERSON_COLUMNS, 'email', 'email_key'],
  ...['email_verified', 'phone_number', 'phone_number_verified', 'created_at', 'updated_at'],
]
  .map((column) => `a.${column}`)
  .join(', ')

const secretsOf = (table: string, owner: string, key: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at) ORDER BY s.secret_id)
               FROM directory.${table} s WHERE s.${owner} = ${key}), '[]')`

function list<R>(
  name: ListName,
  text: string | ((choices: ExportChoices) => string),
  record: (row: R, surroundings: ExportSurroundings) => Readonly<Record<string, unknown>> | undefined,
): ExportedList {
  return { list: name, text: typeof text === 'string' ? () => text : text, record }
}

/** A client with a URL comes back by the next consent, and one that registered itself registers again. */
const IS_EXPORTED = `a.client_id !~ ':'
              AND NOT EXISTS (SELECT FROM directory.client_registration r WHERE r.application_id = a.application_id)`

const applications = (name: 'oidcApps' | 'apiApps', condition: string) =>
  list<Application & WithCarried & { secrets: readonly StoredSecret[] }>(
    name,
    ({ withPasswords }) =>
      `SELECT ${APPLICATION_SELECT_LIST}, ${withPasswords ? secretsOf('application_secret', 'application_id', 'a.application_id') : `'[]'::jsonb`} AS secrets,
              ${CARRIED_COLUMNS}
         FROM directory.project p JOIN directory.application a USING (project_id) ${CARRIED(name, 'a.application_id')}
        WHERE p.organization_id = o.id AND ${condition}
              AND ${IS_EXPORTED} ORDER BY a.application_id`,
    (row, surroundings) => applicationRecord(row, row.secrets, extrasOf(row, surroundings)),
  )

interface PersonSecrets {
  readonly hash: string | null
  readonly change_required: boolean
  readonly sealed_seed: Buffer | null
}

interface ProjectRow {
  readonly project_id: string
  readonly created_at: Date
}

interface UserGrantRow {
  readonly user_id: string
  readonly project_id: string
  readonly user_grant_id: string
  readonly created_at: Date
  readonly role_keys: readonly string[]
}

/** The lists of an organization, in the order of the document. */
export const EXPORTED_LISTS: readonly ExportedList[] = [
  list<ProjectRow & WithCarried>(
    'projects', // project_organization
    `SELECT p.*, ${CARRIED_COLUMNS} FROM directory.project p ${CARRIED('projects', 'p.project_id')}
      WHERE p.organization_id = o.id ORDER BY p.project_id`,
    (row, surroundings) => {
      const members = exportProject(row)
      return {
        projectId: row.project_id,
        // An older import carried members that have a column now.
        project: withoutZeros({ ...members, ...extrasOf(row, surroundings), ...withoutZeros(members) }),
        creationDate: timestamp(row.created_at),
      }
    },
  ),
  list<{ project_id: string; role_key: string }>(
    'projectRoles', // project_organization, primary key
    `SELECT r.* FROM directory.project p JOIN directory.project_role r USING (project_id)
      WHERE p.organization_id = o.id ORDER BY r.project_id, r.role_key`,
    (row) =>
      withoutZeros({
        projectId: row.project_id,
        roleKey: row.role_key,
        ...exportRole(row),
      }),
  ),
  applications('apiApps', `a.type = 'api'`), // project_organization, application_project
  applications('oidcApps', `a.type <> 'api'`), // project_organization, application_project
  list<ExportedAccount & WithCarried & PersonSecrets & ExportedPasskeys>(
    'humanUsers', // account_organization, primary keys
    ({ withPasswords, withOtp, withPasskeys }) =>
      `SELECT ${ACCOUNT}, ${withPasswords ? 'w.hash' : 'NULL AS hash'}, ${withOtp ? 't.sealed_seed' : 'NULL AS sealed_seed'},
              ${withPasskeys ? `encode(k.handle, 'hex') AS handle, ${PASSKEYS} AS passkeys` : 'NULL AS handle, NULL AS passkeys'},
              coalesce(w.change_required, false) AS change_required, ${CARRIED_COLUMNS}
         FROM directory.account a
         LEFT JOIN directory.account_password w ON w.user_id = a.user_id
         ${withOtp ? 'LEFT JOIN directory.account_totp t ON t.user_id = a.user_id' : ''}
         ${withPasskeys ? 'LEFT JOIN directory.passkey_user k ON k.user_id = a.user_id' : ''}
         ${CARRIED('humanUsers', 'a.user_id')}
        WHERE a.organization_id = o.id AND a.kind = 'human' ORDER BY a.user_id`,
    (row, surroundings) => {
      const authenticators =
        row.sealed_seed === null
          ? []
          : openAuthenticators(surroundings.masterKeys, row.user_id, row.sealed_seed)
      if (authenticators === undefined) throw new Error(`the TOTP seed of ${row.user_id} does not open`)
      const secrets = { hash: row.hash ?? undefined, authenticators, passkeys: passkeysOf(row) }
      const extras = extrasOf(row, surroundings)
      // A code that stands in for the second factor is one.
      const { recoveryCodes, ...harmless } = extras
      const more = { ...harmless, passwordChangeRequired: row.change_required }
      return humanUserRecord(row, secrets, surroundings.withOtp ? { ...more, recoveryCodes } : more)
    },
  ),
  list<ExportedServiceUser & WithCarried & { secrets: readonly StoredSecret[] }>(
    'machineUsers', // account_organization, primary keys
    ({ withPasswords }) =>
      `SELECT ${ACCOUNT}, ${columnNames(SERVICE_USER_FIELDS)
        .map((column) => `u.${column}`)
        .join(', ')},
              ${withPasswords ? secretsOf('service_user_secret', 'user_id', 'a.user_id') : `'[]'::jsonb`} AS secrets,
              ${CARRIED_COLUMNS}
         FROM directory.account a JOIN directory.service_user u USING (user_id) ${CARRIED('machineUsers', 'a.user_id')}
        WHERE a.organization_id = o.id AND a.kind = 'service_user' ORDER BY a.user_id`,
    (row, surroundings) => machineUserRecord(row, row.secrets, extrasOf(row, surroundings)),
  ),
  list<{ user_id: string } & ExportedTrust>(
    'machineTrustedIssuers', // account_organization, primary key
    `SELECT t.* FROM directory.account a JOIN directory.issuer_trust t USING (user_id)
      WHERE a.organization_id = o.id ORDER BY t.user_id, t.trust_id`,
    (row) => ({ userId: row.user_id, ...trustMembers(row) }),
  ),
  list<{ application_id: string } & ExportedTrust>(
    'appTrustedIssuers', // project_organization, application_project, primary key
    `SELECT t.* FROM directory.project p JOIN directory.application a USING (project_id)
       JOIN directory.application_issuer_trust t USING (application_id)
      WHERE p.organization_id = o.id AND ${IS_EXPORTED} ORDER BY t.application_id, t.trust_id`,
    (row) => ({ appId: row.application_id, ...trustMembers(row) }),
  ),
  list<{ user_id: string; key: string; value: Buffer }>(
    'userMetadata', // account_organization, primary key
    `SELECT m.user_id, m.key, m.value FROM directory.account a JOIN directory.user_metadata m USING (user_id)
      WHERE a.organization_id = o.id ORDER BY m.user_id, m.key`,
    (row) => ({ id: row.user_id, key: row.key, value: row.value.toString('base64') }),
  ),
  list<{ key: string; value: Buffer }>(
    'orgMetadata', // primary key
    'SELECT key, value FROM directory.organization_metadata WHERE organization_id = o.id ORDER BY key',
    (row) => ({ key: row.key, value: row.value.toString('base64') }),
  ),
  list<{ project_id: string; granted_organization_id: string } & WithCarried>(
    'projectGrants', // project_organization, primary key
    `SELECT g.project_id, g.granted_organization_id, ${CARRIED_COLUMNS}
       FROM directory.project p JOIN directory.project_grant g ON g.project_id = p.project_id AND g.accepted
       ${CARRIED('projectGrants', `g.project_id || ' ' || g.granted_organization_id`)}
      WHERE p.organization_id = o.id ORDER BY g.project_id, g.granted_organization_id`,
    (row, surroundings) => {
      const { grantId, roleKeys } = extrasOf(row, surroundings)
      return {
        // A grant that was made here has no id of its own.
        grantId: grantId ?? `${row.project_id}~${row.granted_organization_id}`.slice(0, 200),
        projectGrant: withoutZeros({
          projectId: row.project_id,
          grantedOrgId: row.granted_organization_id,
          roleKeys,
        }),
      }
    },
  ),
  list<UserGrantRow & WithCarried>(
    'userGrants', // account_organization, primary keys
    `SELECT g.user_id, g.project_id, g.user_grant_id, g.created_at,
            ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                   WHERE r.user_id = g.user_id AND r.project_id = g.project_id ORDER BY r.role_key) AS role_keys,
            ${CARRIED_COLUMNS}
       FROM directory.account a JOIN directory.user_grant g USING (user_id)
       ${CARRIED('userGrants', `g.user_id || ' ' || g.project_id`)}
      WHERE a.organization_id = o.id ORDER BY g.user_id, g.project_id`,
    (row, surroundings) =>
      withoutZeros({
        userId: row.user_id,
        projectId: row.project_id,
        roleKeys: row.role_keys,
        ...extrasOf(row, surroundings),
        userGrantId: row.user_grant_id,
        creationDate: timestamp(row.created_at),
      }),
  ),
  list<{ user_id: string; roles: string[] }>(
    'orgMembers', // member_organization
    `SELECT user_id, array_agg(role ORDER BY role) AS roles FROM directory.member
      WHERE level = 'organization' AND organization_id = o.id AND accepted GROUP BY user_id ORDER BY user_id`,
    (row) => ({ userId: row.user_id, roles: row.roles }),
  ),
  list<{ project_id: string; user_id: string; roles: string[] }>(
    'projectMembers', // project_organization, member_project
    `SELECT m.project_id, m.user_id, array_agg(m.role ORDER BY m.role) AS roles
       FROM directory.project p JOIN directory.member m ON m.level = 'project' AND m.project_id = p.project_id AND m.accepted
      WHERE p.organization_id = o.id GROUP BY m.project_id, m.user_id ORDER BY m.project_id, m.user_id`,
    (row) => ({ projectId: row.project_id, userId: row.user_id, roles: row.roles }),
  ),
  list<ExportedProvider & WithCarried>('oidcIdps', PROVIDERS, (row, surroundings) =>
    providerRecord(row, extrasOf(row, surroundings), surroundings),
  ),
  list<ExportedLink & WithCarried>('userLinks', LINKS, (row, surroundings) =>
    linkRecord(row, extrasOf(row, surroundings)),
  ),
  ...LIST_NAMES.filter((name) => shapeOf(name).carried).map((name) =>
    list<WithCarried>(
      name, // primary key
      `SELECT ${CARRIED_COLUMNS} FROM directory.carried_record c
        WHERE c.organization_id = o.id AND c.list = '${name}' ORDER BY c.record_key`,
      (row, surroundings) =>
        surroundings.withSecrets || !/Idps$/.test(name)
          ? extrasOf(row, surroundings)
          : withoutSecrets(extrasOf(row, surroundings)),
    ),
  ),
]

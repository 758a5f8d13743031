import { LIST_NAMES, type RecordOf, shapeOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { APPLICATION_COLUMNS, APPLICATION_SETTINGS } from '@signet/protocol/application-settings'
import { PROVIDER_ROWS } from '@signet/protocol/fields/identity-provider'
import { ORG_MEMBERS } from '@signet/protocol/fields/organization'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { carriedKey } from '../carried/carried-key.ts'

// Which rows an imported object consists of, by the list of its record. Plans compare them, and an undo deletes or restores
// them.
import {
  account,
  BY_ORGANIZATION,
  BY_PROJECT,
  BY_USER,
  carried,
  dependent,
  detail,
  fieldsOf,
  members,
  type ObjectTables,
  ofAccount,
  type RowSet,
  secrets,
} from './row-sets.ts'

const application = (list: 'oidcApps' | 'apiApps'): ObjectTables => ({
  rowSets: [
    {
      table: 'application',
      condition: 't.application_id = k.k1',
      primaryKey: ['application_id'],
      columns: {
        application_id: null,
        project_id: 'app.projectId',
        state: 'state',
        ...Object.fromEntries(
          Object.keys(APPLICATION_SETTINGS).map((name) => [
            APPLICATION_COLUMNS[name as keyof typeof APPLICATION_COLUMNS],
            `app.${name}`,
          ]),
        ),
      },
    },
    secrets('application_secret', 'application_id'),
    carried(list),
  ],
  keyOf: ({ appId }: RecordOf<'oidcApps'> | RecordOf<'apiApps'>) => [appId],
  dependents: [
    dependent('keys', 'application_key', 't.application_id = k.k1'),
    dependent('trusted issuers', 'application_issuer_trust', 't.application_id = k.k1'),
    dependent(
      'records that are stored only',
      'carried_record',
      `t.application_id = k.k1 AND t.list <> '${list}'`,
    ),
  ],
})

const KEY_COLUMNS = { jwk: 'publicKey', expires_at: 'expirationDate' }

/** An object of one row that no other row belongs to. */
const alone = <R>(row: RowSet, keyOf: (record: R) => readonly [string, string]) => ({
  ...{ rowSets: [row] as const, keyOf, dependents: [] },
})
const TRUST_COLUMNS = { issuer: 'issuer', subject: 'subject', claims: 'claims', key_set: 'keySet' }

/** The provider that a record describes. */
const IDENTITY_PROVIDER: RowSet = {
  table: 'identity_provider',
  condition: 't.provider_id = k.k1 AND t.organization_id = k.organization_id',
  primaryKey: ['provider_id'],
  columns: {
    ...{ provider_id: null, organization_id: null, type: 'idp.type', preset: 'idp.preset', state: 'state' },
    ...Object.fromEntries(
      PROVIDER_ROWS.map(([member, { column, derived, exported = member }]) => [
        column,
        derived ? null : `idp.${exported}`,
      ]),
    ),
    ...{ sealed_secret: 'idp.clientSecret', logo: 'idp.logo', logo_media_type: null },
    ...{ own_certificates: 'idp.ownCertificates', sealed_own_keys: 'idp.ownPrivateKeys' },
  },
  optional: true,
  isDetached: true,
}

/** The member of a record of `userLinks` with the id of the link that it makes. A record that makes none may name a link of another. */
export const LINK_ID = Symbol('the link of a record')

/** The link that a record makes. */
const IDENTITY_LINK: RowSet = {
  table: 'identity_link',
  condition: 't.link_id = k.k2',
  primaryKey: ['link_id'],
  columns: {
    ...{ link_id: null, user_id: null, provider_id: null, issuer: null, subject: null },
    display_name: 'providedUserName',
  },
  // Each sign-in may change it.
  uncompared: ['display_name'],
  optional: true,
  isDetached: true,
  endsTokensOf: 'account',
}

const OWN_TABLES = {
  organization: {
    rowSets: [
      {
        table: 'organization',
        condition: BY_ORGANIZATION,
        primaryKey: ['organization_id'],
        columns: {
          organization_id: null,
          ...fieldsOf(ORG_MEMBERS, 'org.'),
          state: 'orgState',
          primary_domain: 'domains',
        },
      },
      {
        table: 'organization_domain',
        condition: BY_ORGANIZATION,
        primaryKey: ['organization_id', 'domain'],
        columns: { organization_id: null, domain: 'domains', is_verified: 'domains' },
        optional: true,
        several: true,
      },
      {
        table: 'organization_policy',
        condition: BY_ORGANIZATION,
        primaryKey: ['organization_id', 'kind'],
        columns: { organization_id: null, kind: 'policies', document: 'policies' },
        optional: true,
        several: true,
      },
      carried('organization'),
    ],
    keyOf: ({ orgId }: OrganizationHeader) => [orgId],
    dependents: [
      { ...dependent('users', 'account', BY_ORGANIZATION), areObjects: true },
      { ...dependent('projects', 'project', BY_ORGANIZATION), areObjects: true },
      dependent('granted projects', 'project_grant', 't.granted_organization_id = k.k1'),
      dependent('members', 'member', BY_ORGANIZATION),
      dependent('identity providers', 'identity_provider', BY_ORGANIZATION),
      dependent('metadata entries', 'organization_metadata', BY_ORGANIZATION),
      dependent(
        'records that are stored only',
        'carried_record',
        `${BY_ORGANIZATION} AND t.list <> 'organization'`,
      ),
      {
        ...dependent(
          'settings that name it as the default organization',
          'setting',
          't.default_organization_id = k.k1',
        ),
        areObjects: true,
      },
    ],
  },
  humanUsers: {
    rowSets: [
      account({
        ...fieldsOf(PROFILE_FIELDS, 'user.profile.'),
        ...fieldsOf(ADDRESS_FIELDS, 'user.address.'),
        email: 'user.email.email',
        email_key: null,
        email_verified: 'user.email.isEmailVerified',
        phone_number: 'user.phone.phone',
        phone_number_verified: 'user.phone.isPhoneVerified',
      }),
      {
        table: 'account_password',
        condition: BY_USER,
        primaryKey: ['user_id'],
        columns: {
          user_id: null,
          hash: 'user.hashedPassword',
          changed_at: null,
          change_required: 'user.passwordChangeRequired',
        },
        uncompared: ['hash'],
        optional: true,
        endsTokensOf: 'account',
      },
      {
        table: 'account_totp',
        condition: BY_USER,
        primaryKey: ['user_id'],
        columns: { user_id: null, sealed_seed: 'user.otpCode' },
        optional: true,
      },
      carried('humanUsers'),
    ],
    keyOf: ({ userId }: RecordOf<'humanUsers'>) => [userId],
    dependents: ofAccount('humanUsers'),
  },
  machineUsers: {
    rowSets: [
      account({ display_name: 'user.name' }),
      {
        table: 'service_user',
        condition: BY_USER,
        primaryKey: ['user_id'],
        columns: {
          user_id: null,
          ...fieldsOf(SERVICE_USER_FIELDS),
          access_token_type: 'user.accessTokenType',
        },
      },
      secrets('service_user_secret', 'user_id'),
      carried('machineUsers'),
    ],
    keyOf: ({ userId }: RecordOf<'machineUsers'>) => [userId],
    dependents: ofAccount('machineUsers'),
  },
  projects: {
    rowSets: [
      {
        table: 'project',
        condition: `${BY_PROJECT} AND t.organization_id = k.organization_id`,
        primaryKey: ['project_id'],
        columns: {
          project_id: null,
          ...fieldsOf(PROJECT_FIELDS, 'project.'),
        },
      },
      carried('projects'),
    ],
    keyOf: ({ projectId }: RecordOf<'projects'>) => [projectId],
    dependents: [
      { ...dependent('applications', 'application', BY_PROJECT), areObjects: true },
      dependent('roles', 'project_role', BY_PROJECT),
      dependent('project grants', 'project_grant', BY_PROJECT),
      dependent('user grants', 'user_grant', BY_PROJECT),
      dependent('members', 'member', BY_PROJECT),
      dependent('records that are stored only', 'carried_record', `${BY_PROJECT} AND t.list <> 'projects'`),
    ],
  },
  projectRoles: {
    rowSets: [detail('project_role', ['project_id', 'role_key'], fieldsOf(ROLE_FIELDS))],
    keyOf: ({ projectId, roleKey }: RecordOf<'projectRoles'>) => [projectId, roleKey],
    dependents: [dependent('user grants', 'user_grant_role', 't.project_id = k.k1 AND t.role_key = k.k2')],
  },
  projectGrants: {
    rowSets: [
      detail('project_grant', ['project_id', 'granted_organization_id'], { accepted: 'projectGrant' }),
      carried('projectGrants', "k.k1 || ' ' || k.k2"),
    ],
    keyOf: ({ projectGrant: { projectId, grantedOrgId } }: RecordOf<'projectGrants'>) => [
      projectId,
      grantedOrgId,
    ],
    dependents: [],
  },
  oidcApps: application('oidcApps'),
  apiApps: application('apiApps'),
  userMetadata: alone(
    detail('user_metadata', ['user_id', 'key'], { value: 'value' }),
    ({ id, key }: RecordOf<'userMetadata'>) => [id, key],
  ),
  orgMetadata: {
    rowSets: [
      {
        table: 'organization_metadata',
        condition: 't.organization_id = k.organization_id AND t.key = k.k1',
        primaryKey: ['organization_id', 'key'],
        columns: { organization_id: null, key: null, value: 'value' },
      },
    ],
    keyOf: ({ key }: RecordOf<'orgMetadata'>) => [key],
    dependents: [],
  },
  machineKeys: alone(
    detail('machine_key', ['user_id', 'kid'], KEY_COLUMNS),
    ({ userId, keyId }: RecordOf<'machineKeys'>) => [userId, keyId],
  ),
  appKeys: alone(
    detail('application_key', ['application_id', 'kid'], KEY_COLUMNS),
    ({ appId, id }: RecordOf<'appKeys'>) => [appId, id],
  ),
  machineTrustedIssuers: alone(
    detail('issuer_trust', ['user_id', 'trust_id'], TRUST_COLUMNS),
    ({ userId, id }: RecordOf<'machineTrustedIssuers'>) => [userId, id],
  ),
  appTrustedIssuers: alone(
    detail('application_issuer_trust', ['application_id', 'trust_id'], TRUST_COLUMNS),
    ({ appId, id }: RecordOf<'appTrustedIssuers'>) => [appId, id],
  ),
  userGrants: {
    rowSets: [
      detail('user_grant', ['user_id', 'project_id'], { user_grant_id: 'id' }),
      {
        table: 'user_grant_role',
        condition: `${BY_USER} AND t.project_id = k.k2`,
        primaryKey: ['user_id', 'project_id', 'role_key'],
        columns: { user_id: null, project_id: null, role_key: 'roleKeys' },
        optional: true,
        several: true,
      },
      carried('userGrants', "k.k1 || ' ' || k.k2"),
    ],
    keyOf: ({ userId, projectId }: RecordOf<'userGrants'>) => [userId, projectId],
    dependents: [],
  },
  orgMembers: {
    rowSets: [members('organization', 't.organization_id = k.organization_id')],
    keyOf: ({ userId }: RecordOf<'orgMembers'>) => [userId],
    dependents: [],
  },
  oidcIdps: {
    rowSets: [carried('oidcIdps'), IDENTITY_PROVIDER],
    keyOf: ({ idpId }: RecordOf<'oidcIdps'>) => [idpId],
    dependents: [dependent('identity links', 'identity_link', 't.provider_id = k.k1')],
  },
  userLinks: {
    rowSets: [carried('userLinks'), IDENTITY_LINK],
    keyOf: (record: RecordOf<'userLinks'> & { readonly [LINK_ID]?: string }) => [
      carriedKey('userLinks', record),
      record[LINK_ID] ?? '',
    ],
    dependents: [],
  },
  projectMembers: {
    rowSets: [members('project', 't.project_id = k.k2')],
    keyOf: ({ userId, projectId }: RecordOf<'projectMembers'>) => [userId, projectId],
    dependents: [],
  },
} as const satisfies Readonly<Record<string, ObjectTables>>

/** The texts of a record that the sign-in pages show. */
const LOGIN_TEXTS: RowSet = {
  table: 'login_text',
  condition: 't.organization_id = k.organization_id AND t.language = k.k1',
  primaryKey: ['organization_id', 'language'],
  columns: { organization_id: null, language: null, texts: null },
  optional: true,
  isDetached: true,
}

const STORED_ONLY = LIST_NAMES.filter((list) => shapeOf(list).carried).map((list): [string, ObjectTables] => [
  list,
  {
    rowSets: [carried(list), ...(list === 'loginTexts' ? [LOGIN_TEXTS] : [])],
    keyOf: (record: Readonly<Record<string, unknown>>) => [carriedKey(list, record)],
    dependents: [],
  },
])

/** The rows of the objects of every list of the format, and of `organization`. */
export const OBJECT_TABLES: ReadonlyMap<string, ObjectTables> = new Map<string, ObjectTables>([
  ...Object.entries(OWN_TABLES),
  ...STORED_ONLY,
])

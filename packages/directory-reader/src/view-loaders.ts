import type { Queryable } from '@signet/platform/postgres/pool'
import { LIFETIME_SETTINGS, publishedColumns, SECURITY_SETTINGS } from '@signet/protocol/fields/instance'
import { isReservedIdentifier } from '@signet/tokens/identifiers'
import { createBatchedQuery } from './row-cache.ts'
import {
  ACCOUNT_COLUMNS,
  type Account,
  CLIENT_COLUMNS,
  type Client,
  type Columns,
  type InstanceSettings,
  type IssuerTrust,
  ORGANIZATION_COLUMNS,
  type Organization,
  PERSONAL_ACCESS_TOKEN_COLUMNS,
  type PersonalAccessToken,
  PROJECT_COLUMNS,
  type Project,
  type RegisteredKey,
  SERVICE_USER_COLUMNS,
  type ServiceUser,
  selectList,
  USER_GRANT_COLUMNS,
  type UserGrant,
} from './views.ts'

/** The rows of published views; each is found by the primary or a unique key of the table behind. */
export function viewLoaders(database: Queryable) {
  async function loadOne<Row>(name: string, text: string, values: readonly unknown[]) {
    const { rows } = await database.query<Row>({ name: `directory_reader.${name}`, text, values })
    return rows[0]
  }
  return {
    client: async (clientId: string) => {
      const row = await loadOne<StoredClient>('client', SELECT_CLIENT, [clientId])
      if (row === undefined) return undefined
      const secrets = row.secrets.map(withDate)
      return { ...row, secrets, keys: row.keys.map(withDate), active: row.active && !hasReservedId(row) }
    },
    account: createBatchedQuery<Account>(
      ({ userId }) => userId,
      async (userIds) => {
        const { rows } = await database.query<Account>({
          name: 'directory_reader.account',
          text: SELECT_ACCOUNTS,
          values: [userIds],
        })
        return rows
      },
    ),
    organization: (id: string) => loadOne<Organization>('organization', SELECT_ORGANIZATION, [id]),
    /** Undefined also when two organizations name the domain, which neither has to have verified. */
    organizationByPrimaryDomain: async (domain: string) => {
      const { rows } = await database.query<Organization>({
        name: 'directory_reader.organization_by_primary_domain',
        text: SELECT_ORGANIZATION_BY_PRIMARY_DOMAIN,
        values: [domain],
      })
      return rows.length === 1 ? rows[0] : undefined
    },
    project: (projectId: string) => loadOne<Project>('project', SELECT_PROJECT, [projectId]),
    projectOfResource: (uri: string) =>
      loadOne<{ readonly projectId: string }>('resource', SELECT_PROJECT_OF_RESOURCE, [uri]),
    projectOfDetailType: (type: string) =>
      loadOne<{ readonly projectId: string }>('detail_type', SELECT_PROJECT_OF_DETAIL_TYPE, [type]),
    /** Never undefined: a user without grants has an empty list, which a change of the grants drops by its user. */
    userGrants: async (userId: string): Promise<{ userId: string; grants: readonly UserGrant[] }> => {
      const { rows } = await database.query<UserGrant>({
        name: 'directory_reader.user_grant',
        text: SELECT_USER_GRANTS,
        values: [userId],
      })
      return { userId, grants: rows }
    },
    /** Never undefined, for the same reason. */
    grantedOrganizations: async (
      projectId: string,
    ): Promise<{ projectId: string; organizationIds: ReadonlySet<string> }> => {
      const { rows } = await database.query<{ id: string }>({
        name: 'directory_reader.project_grant',
        text: SELECT_PROJECT_GRANTS,
        values: [projectId],
      })
      return { projectId, organizationIds: new Set(rows.map(({ id }) => id)) }
    },
    /** Never undefined: a project that does not exist is cached as long as one that does not allow the client. */
    audience: async (key: string): Promise<{ readonly isAllowed: boolean }> => {
      const { rowCount } = await database.query({
        name: 'directory_reader.audience',
        text: SELECT_AUDIENCE,
        values: key.split(' '),
      })
      return { isAllowed: rowCount === 1 }
    },
    /** Never undefined, for the same reason. */
    machineKeys: async (userId: string): Promise<{ userId: string; keys: readonly RegisteredKey[] }> => {
      const { rows } = await database.query<RegisteredKey>({
        name: 'directory_reader.machine_key',
        text: SELECT_MACHINE_KEYS,
        values: [userId],
      })
      return { userId, keys: rows }
    },
    /** Never undefined, for the same reason. */
    issuerTrusts: async (userId: string): Promise<{ userId: string; trusts: readonly IssuerTrust[] }> => {
      const { rows } = await database.query<IssuerTrust>({
        name: 'directory_reader.issuer_trust',
        text: SELECT_ISSUER_TRUSTS,
        values: [userId],
      })
      return { userId, trusts: rows }
    },
    serviceUser: async (userId: string) => {
      const row = await loadOne<ServiceUser>('service_user', SELECT_SERVICE_USER, [userId])
      return row && isReservedIdentifier(row.clientId ?? row.userId) ? undefined : row
    },
    registeredOrigin: (origin: string) =>
      loadOne<{ readonly origin: string }>('origin', SELECT_ORIGIN, [origin]),
    personalAccessToken: (hash: Buffer) =>
      loadOne<PersonalAccessToken>('personal_access_token', SELECT_PERSONAL_ACCESS_TOKEN, [hash]),
    settings: () => loadOne<InstanceSettings>('setting', SELECT_SETTINGS, []),
  }
}

/**
 * A client that was stored under a reserved id, or in a project with one, before those were reserved: `aud` of its
 * tokens would name our own APIs. It may neither authenticate nor ask for an authorization.
 */
function hasReservedId({ clientId, projectId }: Pick<Client, 'clientId' | 'projectId'>): boolean {
  return isReservedIdentifier(clientId) || isReservedIdentifier(projectId)
}

const MACHINE_KEY_COLUMNS: Columns<RegisteredKey> = {
  kid: 'kid',
  jwk: 'jwk',
  expiresAt: 'expires_at',
}

const ISSUER_TRUST_COLUMNS: Columns<IssuerTrust> = {
  trustId: 'trust_id',
  issuer: 'issuer',
  subject: 'subject',
  claims: 'claims',
  keySet: 'key_set',
}

const SETTING_COLUMNS: Columns<Omit<InstanceSettings, 'oidcTokenExchange'>> = {
  ...publishedColumns(LIFETIME_SETTINGS),
  ...publishedColumns(SECURITY_SETTINGS),
  defaultOrganizationId: 'default_organization_id',
}

const SELECT_CLIENT = `SELECT ${selectList(CLIENT_COLUMNS)} FROM directory_read.client_v1 WHERE client_id = $1`
const SELECT_ACCOUNTS = `SELECT ${selectList(ACCOUNT_COLUMNS)} FROM directory_read.account_claims_v1
                          WHERE user_id = ANY ($1::text[])`
const SELECT_ORGANIZATION = `SELECT ${selectList(ORGANIZATION_COLUMNS)} FROM directory_read.organization_v1
                              WHERE organization_id = $1`
const SELECT_ORGANIZATION_BY_PRIMARY_DOMAIN = `SELECT ${selectList(ORGANIZATION_COLUMNS)}
                               FROM directory_read.organization_v1 WHERE primary_domain = $1 LIMIT 2`
const SELECT_PROJECT = `SELECT ${selectList(PROJECT_COLUMNS)} FROM directory_read.project_v1 WHERE project_id = $1`
const SELECT_PROJECT_OF_RESOURCE = `SELECT project_id AS "projectId" FROM directory_read.project_v1 WHERE resource_uri = $1`
const SELECT_PROJECT_OF_DETAIL_TYPE = `SELECT project_id AS "projectId" FROM directory_read.authorization_detail_type_v1
                                        WHERE type = $1`
const SELECT_USER_GRANTS = `SELECT ${selectList(USER_GRANT_COLUMNS)} FROM directory_read.user_grant_v1
                             WHERE user_id = $1 ORDER BY project_id`
const SELECT_PROJECT_GRANTS = `SELECT granted_organization_id AS id FROM directory_read.project_grant_v1
                                WHERE project_id = $1`
const SELECT_AUDIENCE = `SELECT FROM directory_read.project_v1 p
                          WHERE p.project_id = $1
                            AND ($2 = ANY (p.allowed_audiences)
                                 -- A client_id with a colon is a URL: its organization alone opens no project. To a client that
                                 -- registered itself it opens no other project than its own.
                                 OR (p.organization_id = $3 AND $2 !~ ':'
                                     AND NOT EXISTS (SELECT FROM directory_read.client_v1 c
                                                      WHERE c.client_id = $2 AND c.is_registered
                                                        AND c.project_id <> p.project_id))
                                 OR EXISTS (SELECT FROM directory_read.project_grant_v1 g
                                             WHERE g.project_id = p.project_id AND g.granted_organization_id = $3))`
const SELECT_ISSUER_TRUSTS = `SELECT ${selectList(ISSUER_TRUST_COLUMNS)} FROM directory_read.issuer_trust_v1
                               WHERE user_id = $1 ORDER BY trust_id`
const SELECT_MACHINE_KEYS = `SELECT ${selectList(MACHINE_KEY_COLUMNS)} FROM directory_read.machine_key_v1
                              WHERE user_id = $1 ORDER BY kid`
const SELECT_SERVICE_USER = `SELECT ${selectList(SERVICE_USER_COLUMNS)} FROM directory_read.service_user_v1
                              WHERE user_id = $1`
const SELECT_ORIGIN = `SELECT $1::text AS origin FROM directory_read.client_v1
                        WHERE allowed_origins @> ARRAY[$1::text] AND active LIMIT 1`
const SELECT_PERSONAL_ACCESS_TOKEN = `SELECT ${selectList(PERSONAL_ACCESS_TOKEN_COLUMNS)}
                              FROM directory_read.personal_access_token_v1 WHERE token_hash = $1`
const SELECT_SETTINGS = `SELECT ${selectList(SETTING_COLUMNS)},
                                coalesce((SELECT enabled FROM directory_read.feature_v1
                                           WHERE name = 'oidcTokenExchange'), false) AS "oidcTokenExchange"
                           FROM directory_read.setting_v1`

type StoredClient = Omit<Client, 'secrets' | 'keys'> & {
  readonly secrets: readonly { readonly hash: string; readonly expires_at: string | null }[]
  readonly keys: readonly {
    readonly kid: string
    readonly jwk: Readonly<Record<string, unknown>>
    readonly expires_at: string | null
  }[]
}

/** Times inside JSON arrive as text. */
function withDate<T extends { readonly expires_at: string | null }>({ expires_at, ...rest }: T) {
  return { ...rest, expiresAt: expires_at === null ? null : new Date(expires_at) }
}

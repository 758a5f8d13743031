import type { Queryable } from '@signet/platform/postgres/pool'

/** The stored rows that permissions depend on. */
export interface State {
  readonly accounts: readonly Account[]
  /** The roles that count, and all that are stored. */
  readonly counting: readonly Role[]
  readonly members: readonly Role[]
  readonly organizations: readonly { readonly id: string; readonly state: string; readonly all: unknown }[]
  /** `organization domain`, of verified ones. */
  readonly verifiedDomains: readonly string[]
  readonly projects: readonly Project[]
  /** `project organization`, of accepted ones. */
  readonly projectGrants: readonly string[]
  readonly offeredProjects: readonly string[]
  readonly userGrants: readonly {
    readonly projectId: string
    readonly userId: string
    readonly roles: unknown
  }[]
  readonly applications: readonly Application[]
  /** Ids of deleted objects, and of those that exist. */
  readonly deletedIds: readonly string[]
  readonly liveIds: readonly string[]
}

interface Account {
  readonly id: string
  readonly organizationId: string
  readonly state: string
  readonly epoch: number
  readonly verifiedEmail: string | null
  readonly hasPassword: boolean
  /** The names, addresses and credentials, and the messages that it is sent. */
  readonly rest: string
}

interface Role {
  readonly userId: string
  readonly role: string
  readonly objectId: string | null
}

interface Project {
  readonly id: string
  readonly organizationId: string
  readonly allowedAudiences: readonly string[]
}

interface Application {
  readonly id: string
  readonly projectId: string
  readonly mayCallApi: boolean
  readonly firstParty: boolean
  /** Recipients of its tokens: URIs, origins, authentication, keys and secrets. */
  readonly recipients: string
}

const rowsOf = (columns: string, from: string, order = 'x::text') =>
  `(SELECT coalesce(jsonb_agg(x ORDER BY ${order}), '[]') FROM (SELECT ${columns} FROM ${from}) AS x)`
const valuesOf = (value: string, from: string) =>
  `(SELECT coalesce(jsonb_agg(v ORDER BY v), '[]') FROM (SELECT ${value} AS v FROM ${from}) AS x)`
const rowsWith = (table: string, key: string, id: string) =>
  `(SELECT jsonb_agg(to_jsonb(t) ORDER BY t::text) FROM directory.${table} t WHERE t.${key} = ${id})`

const CREDENTIALS = [
  'account_password',
  'account_totp',
  'passkey',
  'recovery_code',
  'personal_access_token',
  'machine_key',
  'issuer_trust',
  'identity_link',
  'service_user',
  'service_user_secret',
  'user_metadata',
].map((table) => rowsWith(table, 'user_id', 'a.user_id'))
/** The server of its messages and their texts: a hostile one would get the links. */
const MAIL_SETTINGS = ['organization_smtp', 'carried_record', 'identity_provider'].map((table) =>
  rowsWith(table, 'organization_id', 'o.organization_id'),
)
const SECRETS = ['application_secret', 'application_key', 'application_issuer_trust'].map((table) =>
  rowsWith(table, 'application_id', 'a.application_id'),
)

const PARTS: Readonly<Record<keyof State, string>> = {
  accounts: rowsOf(
    `a.user_id AS id, a.organization_id AS "organizationId", a.state, a.token_epoch AS epoch,
     CASE WHEN a.email_verified THEN a.email END AS "verifiedEmail",
     EXISTS (SELECT FROM directory.account_password p WHERE p.user_id = a.user_id) AS "hasPassword",
     md5(concat(to_jsonb(a) - '{state,token_epoch,updated_at}'::text[], ${CREDENTIALS.join(', ')},
                (SELECT jsonb_agg(to_jsonb(i) - '{name,state,creation_allowed,changed_at}'::text[] ORDER BY l.link_id)
                   FROM directory.identity_link l JOIN directory.identity_provider i USING (provider_id)
                  WHERE l.user_id = a.user_id),
                (SELECT count(*) FROM directory.mail_delivery d WHERE d.user_id = a.user_id))) AS rest`,
    'directory.account a',
  ),
  counting: rowsOf('user_id AS "userId", role, object_id AS "objectId"', 'directory_read.member_v1'),
  members: rowsOf(
    'user_id AS "userId", role, coalesce(organization_id, project_id) AS "objectId"',
    'directory.member',
  ),
  organizations: rowsOf(
    `o.organization_id AS id, o.state, jsonb_build_array(to_jsonb(o), ${MAIL_SETTINGS.join(', ')}) AS all`,
    'directory.organization o',
  ),
  verifiedDomains: valuesOf(
    "organization_id || ' ' || domain",
    // A domain whose addresses a provider verifies is worth as much.
    `(SELECT organization_id, domain FROM directory.organization_domain WHERE is_verified
      UNION SELECT organization_id, unnest(trusted_email_domains) FROM directory.identity_provider) AS trusted`,
  ),
  projects: rowsOf(
    `project_id AS id, organization_id AS "organizationId", allowed_audiences AS "allowedAudiences"`,
    'directory.project',
  ),
  projectGrants: valuesOf(
    "project_id || ' ' || granted_organization_id",
    'directory.project_grant WHERE accepted',
  ),
  offeredProjects: valuesOf(
    "project_id || ' ' || granted_organization_id",
    'directory.project_grant WHERE NOT accepted',
  ),
  userGrants: rowsOf(
    `g.project_id AS "projectId", g.user_id AS "userId",
     (SELECT jsonb_agg(role_key ORDER BY role_key) FROM directory.user_grant_role r
       WHERE r.user_id = g.user_id AND r.project_id = g.project_id) AS roles`,
    'directory.user_grant g',
  ),
  applications: rowsOf(
    `a.application_id AS id, a.project_id AS "projectId", a.may_call_api AS "mayCallApi",
     a.first_party AS "firstParty",
     md5(concat(a.client_id, a.type, a.auth_method, a.redirect_uris, a.response_types, a.grant_types,
                a.allowed_origins, a.pkce_optional, ${SECRETS.join(', ')})) AS recipients`,
    'directory.application a',
  ),
  deletedIds: valuesOf('id', 'directory.tombstone'),
  liveIds: valuesOf(
    'id::text',
    `(SELECT user_id FROM directory.account UNION SELECT client_id FROM directory.service_user
       UNION SELECT client_id FROM directory.application UNION SELECT application_id FROM directory.application
       UNION SELECT project_id FROM directory.project
       UNION SELECT organization_id FROM directory.organization) AS ids (id) WHERE id IS NOT NULL`,
  ),
}

const TEXT = `SELECT ${Object.entries(PARTS)
  .map(([name, part]) => `${part} AS "${name}"`)
  .join(', ')}`

export async function readState(database: Queryable): Promise<State> {
  const { rows } = await database.query<State>({ name: 'role_search.state', text: TEXT })
  const [state] = rows
  if (state === undefined) throw new Error('the database does not tell its state')
  return state
}

/** The same for states that differ in names, credentials, generated ids, or the number of objects made alike. */
export function fingerprint(state: State, first: State): string {
  const known = new Set([...first.liveIds, ...first.deletedIds])
  const {
    deletedIds: _,
    liveIds: __,
    ...parts
  } = {
    ...state,
    accounts: state.accounts.map(({ rest, epoch, ...account }) => account),
    organizations: state.organizations.map(({ id, state: its }) => ({ id, state: its })),
    applications: state.applications.map(({ recipients, ...application }) =>
      application.mayCallApi || application.firstParty ? { ...application, recipients } : application,
    ),
  }
  const text = (row: unknown) =>
    JSON.stringify(row).replaceAll(/\b[0-9a-z]{26}\b/g, (id) => (known.has(id) ? id : 'new'))
  return Object.entries(parts)
    .map(([name, rows]) => `${name}: ${[...new Set(rows.map(text))].sort().join()}`)
    .join('\n')
}

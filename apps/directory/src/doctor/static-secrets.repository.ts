import type { Queryable } from '@signet/platform/postgres/pool'
import type { DoctorFinding } from './checks.ts'
import { STATIC_SECRETS, type StaticSecretKind, type StaticSecrets } from './static-secrets.ts'

const ends = (column: string) =>
  `coalesce(', ends on ' || to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD'), ', does not end')`

/** Condition of providers that send a secret: a key signs and is not sent. */
const SENDS_SECRET = `sealed_secret IS NOT NULL AND state = 'active'
       AND client_authentication NOT IN ('private_key_jwt', 'apple_client_secret')`

/** Each answers one row for each secret that counts: who holds it, its organization (null: the instance), and which one it is. */
const STATEMENTS: Readonly<Record<StaticSecretKind, string>> = {
  application_secret: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id,
           'client_id ' || a.client_id || ${ends('s.expires_at')} AS detail
      FROM directory.application_secret s
      JOIN directory.application a USING (application_id) JOIN directory.project p USING (project_id)
     WHERE a.auth_method IN ('client_secret_basic', 'client_secret_post') AND a.state = 'active'
       AND (s.expires_at IS NULL OR s.expires_at > now())`,
  service_user_secret: `
    SELECT 'user' AS kind, a.user_id AS id, a.organization_id,
           'user name ' || a.user_name || ${ends('s.expires_at')} AS detail
      FROM directory.service_user_secret s JOIN directory.account a USING (user_id)
     WHERE a.state = 'active' AND (s.expires_at IS NULL OR s.expires_at > now())`,
  personal_access_token: `
    SELECT 'user' AS kind, a.user_id AS id, a.organization_id,
           'token ' || t.token_id || ' of ' || a.user_name || ${ends('t.expires_at')} AS detail
      FROM directory.personal_access_token t JOIN directory.account a USING (user_id)
     WHERE a.state = 'active' AND (t.expires_at IS NULL OR t.expires_at > now())`,
  registration_token: `
    SELECT 'token' AS kind, t.token_id AS id, p.organization_id,
           'project ' || t.project_id || ${ends('t.expires_at')} AS detail
      FROM directory.registration_token t JOIN directory.project p USING (project_id)
     WHERE t.expires_at > now()`,
  identity_provider_secret: `
    SELECT 'identity_provider' AS kind, provider_id AS id, organization_id,
           type || ', client_id ' || client_id AS detail
      FROM directory.identity_provider WHERE type <> 'ldap' AND ${SENDS_SECRET}`,
  ldap_bind_password: `
    SELECT 'identity_provider' AS kind, provider_id AS id, organization_id, 'binds as ' || client_id AS detail
      FROM directory.identity_provider WHERE type = 'ldap' AND ${SENDS_SECRET}`,
  mail_server_password: `
    SELECT 'organization' AS kind, organization_id AS id, organization_id,
           host || ':' || port || ' as ' || user_name AS detail
      FROM directory.organization_smtp WHERE sealed_password IS NOT NULL`,
  database_password: `
    SELECT 'database' AS kind, current_database()::text AS id, NULL::text AS organization_id,
           'role ' || current_user AS detail
      FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND client_dn IS NULL`,
}

interface Row {
  readonly kind: StaticSecretKind
  readonly count: number
  readonly secrets: readonly DoctorFinding[]
}

/** Lists static secrets by the names of their holders, and shows none. */
export class StaticSecretStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The kinds that there are, in the organizations, or with undefined in the whole instance. `limit` bounds the list of each kind, not its count. */
  async list(
    organizationIds: readonly string[] | undefined,
    limit: number,
  ): Promise<readonly StaticSecrets[]> {
    const lists = Object.entries(STATEMENTS).map(
      ([kind, statement]) => `
        SELECT '${kind}' AS kind, l.count, l.secrets FROM (
          WITH s AS (SELECT * FROM (${statement}) AS each WHERE $1::text[] IS NULL OR organization_id = ANY ($1))
          SELECT (SELECT count(*)::integer FROM s) AS count,
                 (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'organizationId', organization_id, 'detail', detail)), '[]')
                    FROM (SELECT * FROM s ORDER BY organization_id, id, detail LIMIT $2) AS first) AS secrets) AS l`,
    )
    const { rows } = await this.#database.query<Row>({
      name: '', // run by hand; reads whole tables
      text: lists.join(' UNION ALL '),
      values: [organizationIds ?? null, limit],
    })
    const found = new Map(rows.map((row) => [row.kind, row]))
    return (Object.keys(STATIC_SECRETS) as StaticSecretKind[]).flatMap((kind) => {
      const { count = 0, secrets = [] } = found.get(kind) ?? {}
      return count === 0 ? [] : [{ kind, count, replacement: STATIC_SECRETS[kind], secrets }]
    })
  }
}

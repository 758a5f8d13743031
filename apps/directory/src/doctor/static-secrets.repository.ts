import type { Queryable } from '@signet/platform/postgres/pool'
import { STATIC_SECRETS, type StaticSecretKind, type StaticSecrets } from './static-secrets.ts'

/** Each answers one row for each secret that counts, with its organization; null: the instance. */
const STATEMENTS: Readonly<Record<StaticSecretKind, string>> = {
  application_secret: `
    SELECT p.organization_id FROM directory.application_secret s
      JOIN directory.application a USING (application_id) JOIN directory.project p USING (project_id)
     WHERE a.auth_method IN ('client_secret_basic', 'client_secret_post') AND a.state = 'active'
       AND (s.expires_at IS NULL OR s.expires_at > now())`,
  service_user_secret: `
    SELECT a.organization_id FROM directory.service_user_secret s JOIN directory.account a USING (user_id)
     WHERE a.state = 'active' AND (s.expires_at IS NULL OR s.expires_at > now())`,
  personal_access_token: `
    SELECT a.organization_id FROM directory.personal_access_token t JOIN directory.account a USING (user_id)
     WHERE a.state = 'active' AND (t.expires_at IS NULL OR t.expires_at > now())`,
  registration_token: `
    SELECT p.organization_id FROM directory.registration_token t JOIN directory.project p USING (project_id)
     WHERE t.expires_at > now()`,
  identity_provider_secret: `
    SELECT organization_id FROM directory.identity_provider
     WHERE sealed_secret IS NOT NULL AND state = 'active'
       AND client_authentication NOT IN ('private_key_jwt', 'apple_client_secret')`,
  mail_server_password: `
    SELECT organization_id FROM directory.organization_smtp WHERE sealed_password IS NOT NULL`,
  database_password: `
    SELECT NULL::text AS organization_id FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND client_dn IS NULL`,
}

/** Counts static secrets and shows none. */
export class StaticSecretStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The kinds that there are, in the organizations, or with undefined in the whole instance. */
  async count(organizationIds: readonly string[] | undefined): Promise<readonly StaticSecrets[]> {
    const counts = Object.entries(STATEMENTS).map(
      ([kind, statement]) => `SELECT '${kind}' AS kind, count(*)::integer AS count FROM (${statement}) AS s
                               WHERE $1::text[] IS NULL OR organization_id = ANY ($1)`,
    )
    const { rows } = await this.#database.query<{ readonly kind: StaticSecretKind; readonly count: number }>({
      name: '', // run by hand; reads whole tables
      text: counts.join(' UNION ALL '),
      values: [organizationIds ?? null],
    })
    const found = new Map(rows.map(({ kind, count }) => [kind, count]))
    return (Object.keys(STATIC_SECRETS) as StaticSecretKind[]).flatMap((kind) => {
      const count = found.get(kind) ?? 0
      return count === 0 ? [] : [{ kind, count, replacement: STATIC_SECRETS[kind] }]
    })
  }
}

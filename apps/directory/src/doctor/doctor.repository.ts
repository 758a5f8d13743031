import { X509Certificate } from 'node:crypto'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type Clock, systemClock } from '@signet/platform/runtime/clock'
import { HAS_CREDENTIALS } from '../accounts/account-filter.repository.ts'
import { asksFor } from '../accounts/second-factor.repository.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { CheckId, DoctorFinding } from './checks.ts'
import { GUESSABLE_SECRET, PLACEHOLDER_VALUE, REFUSED_VALUE } from './stored-values.repository.ts'

/** Token publishes this view with its own migrations; a directory that starts first does not see it yet. */
const REQUESTED_AUDIENCES = 'grants_read.requested_audience_v1'

/**
 * Condition of RSA keys that are refused, by the lengths of the base64url texts: below 2,048 bits, above 4,096, or an
 * exponent other than 65537.
 */
const REFUSED_RSA = `k.jwk ->> 'kty' = 'RSA' AND (k.jwk ->> 'e' <> 'AQAB' OR length(k.jwk ->> 'n') NOT BETWEEN 342 AND 683)`

const ENDS_SOON_MS = 30 * 86_400_000

const SIGN_IN = { forceMfa: 'p.force_mfa', userId: 'u.user_id' }

// Each statement answers kind, id, organization_id, detail, and may read `instance`. They read whole tables: an
// administrator runs them by hand.
const STATEMENTS: Readonly<Record<CheckId, string>> = {
  reserved_id: `
    SELECT 'organization' AS kind, organization_id AS id, organization_id, 'organization ' || organization_id AS detail
      FROM directory.organization WHERE organization_id IN ('signet', 'zitadel')
     UNION ALL
    SELECT 'project', project_id, organization_id, 'project ' || project_id
      FROM directory.project WHERE project_id IN ('signet', 'zitadel')
     UNION ALL
    SELECT 'application', a.application_id, p.organization_id, 'client_id ' || a.client_id
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.client_id IN ('signet', 'zitadel') OR a.application_id IN ('signet', 'zitadel')
     UNION ALL
    SELECT 'user', u.user_id, u.organization_id, coalesce('client_id ' || s.client_id, 'user ' || u.user_id)
      FROM directory.account u LEFT JOIN directory.service_user s USING (user_id)
     WHERE u.user_id IN ('signet', 'zitadel') OR s.client_id IN ('signet', 'zitadel')`,
  foreign_name: `
    SELECT 'application' AS kind, a.application_id AS id, o.organization_id, 'client_id ' || a.client_id AS detail
      FROM directory.application a
      JOIN directory.project o USING (project_id)
     WHERE directory.is_foreign_project(a.client_id, o.organization_id)
     UNION ALL
    SELECT 'user', s.user_id, a.organization_id, 'client_id ' || s.client_id
      FROM directory.service_user s
      JOIN directory.account a USING (user_id)
     WHERE directory.is_foreign_project(s.client_id, a.organization_id)`,
  api_audience: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id, 'client_id ' || a.client_id AS detail
      FROM ${REQUESTED_AUDIENCES} r JOIN directory.application a USING (client_id)
      JOIN directory.project p ON p.project_id = a.project_id
     WHERE r.project_id = 'signet' AND NOT a.may_call_api`,
  foreign_audience: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id,
           'client_id ' || a.client_id || ' asks for project ' || r.project_id AS detail
      FROM ${REQUESTED_AUDIENCES} r JOIN directory.application a USING (client_id)
      JOIN directory.project p ON p.project_id = a.project_id
      JOIN directory.project named ON named.project_id = r.project_id
     WHERE named.organization_id <> p.organization_id
       AND a.client_id <> ALL (named.allowed_audiences)
       AND NOT EXISTS (SELECT FROM directory_read.project_grant_v1 g
                        WHERE g.project_id = named.project_id AND g.granted_organization_id = p.organization_id)`,
  first_party: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id, 'client_id ' || a.client_id AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.first_party AND a.type <> 'api'`,
  refused_uri: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id,
           'client_id ' || a.client_id || ' has ' || left(u.uri, 200) AS detail
      FROM directory.application a JOIN directory.project p USING (project_id),
           unnest(a.redirect_uris || a.post_logout_redirect_uris || a.back_channel_logout_uri) AS u (uri)
     WHERE u.uri IS NOT NULL AND NOT (
           a.type <> 'api' AND u.uri ~ '^[!-~]+$' AND u.uri !~ '[\\\\#*]'
           AND (u.uri ~* '^https://[^/?@]+([/?]|$)'
                OR u.uri ~* '^http://[^/?@]+([/?]|$)'
                   AND (a.dev_mode
                        OR u.uri ~* '^http://(([^/?:]+\\.)?localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]+)?([/?]|$)')
                OR a.type = 'native' AND u.uri ~* '^[a-z][a-z0-9+.-]*:'
                   AND u.uri !~* '^(https?|about|blob|data|file|filesystem|ftp|javascript|mailto|sms|tel|vbscript|view-source|wss?):'))`,
  guessable_secret: GUESSABLE_SECRET,
  placeholder: PLACEHOLDER_VALUE,
  refused_value: REFUSED_VALUE,
  refused_key: `
    SELECT 'user' AS kind, k.user_id AS id, u.organization_id, 'key ' || k.kid AS detail
      FROM directory.machine_key k JOIN directory.account u USING (user_id) WHERE ${REFUSED_RSA}
     UNION ALL
    SELECT 'application', k.application_id, p.organization_id, 'key ' || k.kid
      FROM directory.application_key k JOIN directory.application a USING (application_id)
      JOIN directory.project p USING (project_id) WHERE ${REFUSED_RSA}`,
  foreign_member: `
    SELECT 'user' AS kind, m.user_id AS id, u.organization_id,
           m.role || ' in ' || m.level || ' ' || coalesce(m.project_id, m.organization_id) AS detail
      FROM directory.member m JOIN directory.account u USING (user_id)
      LEFT JOIN directory.project p ON p.project_id = m.project_id
     WHERE m.level <> 'instance' AND coalesce(m.organization_id, p.organization_id) <> u.organization_id`,
  project_grant: `
    SELECT 'project_grant' AS kind, g.project_id AS id, g.granted_organization_id AS organization_id,
           'project of ' || p.organization_id || ' granted to ' || g.granted_organization_id AS detail
      FROM directory.project_grant g JOIN directory.project p USING (project_id)`,
  foreign_email: `
    SELECT 'user' AS kind, u.user_id AS id, u.organization_id,
           u.email || ' in the domain of ' || d.organization_id AS detail
      FROM directory.account u
      JOIN directory.organization_domain d ON d.is_verified AND d.domain = split_part(u.email_key, '@', 2)
     WHERE u.email_verified AND d.organization_id <> u.organization_id`,
  shared_email: `
    SELECT 'user' AS kind, u.user_id AS id, u.organization_id, u.email AS detail
      FROM directory.account u
     WHERE u.email_verified AND EXISTS (SELECT FROM directory.account other
                                         WHERE other.email_key = u.email_key AND other.email_verified
                                           AND other.user_id <> u.user_id)`,
  token_without_end: `
    SELECT 'token' AS kind, t.token_id AS id, u.organization_id,
           'of user ' || t.user_id || coalesce(', until ' || to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
                                               ', without end') AS detail
      FROM directory.personal_access_token t JOIN directory.account u USING (user_id)
     WHERE t.expires_at IS NULL
        OR t.expires_at > t.created_at
             + make_interval(secs => (SELECT personal_access_token_seconds FROM directory.setting))`,
  second_factor: `
    SELECT 'organization' AS kind, p.organization_id AS id, p.organization_id, count(*) || ' people without' AS detail
      FROM directory.effective_policy_v1 p JOIN directory.account u USING (organization_id)
     WHERE u.kind = 'human' AND u.state = 'active' AND ${asksFor('enrolment', SIGN_IN)}
     GROUP BY p.organization_id`,
  stopped_factor: `
    SELECT 'user' AS kind, u.user_id AS id, u.organization_id, 'user name ' || u.user_name AS detail
      FROM directory.account u JOIN directory.effective_policy_v1 p USING (organization_id)
     WHERE u.kind = 'human' AND u.state = 'active' AND ${asksFor('code', SIGN_IN)}
       AND NOT EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = u.user_id)
       AND NOT EXISTS (SELECT FROM directory.recovery_code c WHERE c.user_id = u.user_id)
       AND NOT EXISTS (SELECT FROM directory.passkey k
                        WHERE k.user_id = u.user_id AND k.rp_id = (SELECT rp_id FROM instance)
                          AND k.cloned_at IS NULL AND (p.passkey_sign_in OR p.passkey_second_factor))`,
  password_sign_in: `
    SELECT 'organization' AS kind, organization_id AS id, organization_id, 'allowUsernamePassword is not true' AS detail
      FROM directory.effective_policy_v1 WHERE NOT allows_password`,
  no_sign_in: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id, 'client_id ' || a.client_id AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.type <> 'api' AND a.state = 'active' AND '{}' IN (a.redirect_uris, a.response_types)`,
  certificates_off: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id,
           'client_id ' || a.client_id || ': '
             || CASE WHEN a.auth_method LIKE '%tls_client_auth' THEN a.auth_method
                     ELSE 'tlsClientCertificateBoundAccessTokens' END AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.state = 'active' AND NOT (SELECT takes_certificates FROM instance)
       AND (a.auth_method LIKE '%tls_client_auth' OR a.tls_client_certificate_bound_access_tokens)`,
  // PostgreSQL reads no certificates: `certificates` has those of the process.
  saml_certificate: `
    SELECT 'identity_provider' AS kind, c.id, c.organization_id, c.detail
      FROM instance, jsonb_to_recordset(certificates) AS c (id text, organization_id text, detail text)`,
  no_credentials: `
    SELECT 'organization' AS kind, a.organization_id AS id, a.organization_id, count(*) || ' people' AS detail
      FROM directory.account a LEFT JOIN directory.account_password p ON p.user_id = a.user_id
     WHERE a.kind = 'human' AND a.state = 'active' AND NOT ${HAS_CREDENTIALS}
     GROUP BY a.organization_id`,
  pkce_optional: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id, 'client_id ' || a.client_id AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.auth_method = 'none' AND a.pkce_optional AND a.state = 'active'`,
  implicit_access_token: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id, 'client_id ' || a.client_id AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE 'id_token token' = ANY (a.response_types) AND a.state = 'active'`,
  // At least: header, other claims and signature have 900 characters, and the scope groups gives the shortest form of roles,
  // a JSON text each, in base64url.
  large_id_token: `
    SELECT 'application' AS kind, a.application_id AS id, p.organization_id,
           'client_id ' || a.client_id || ': at least ' || max(g.characters) || ' characters for a person with '
             || max(g.roles) || ' roles' AS detail
      FROM directory.application a JOIN directory.project p USING (project_id)
      JOIN (SELECT project_id, count(*) AS roles,
                   900 + ceil(sum(octet_length(role_key) + 3) * 4 / 3) AS characters
              FROM directory_read.user_grant_v1, unnest(role_keys) AS role_key
             GROUP BY project_id, user_id) AS g ON g.project_id = a.project_id
     WHERE a.id_token_role_assertion AND g.characters > 4096
     GROUP BY a.application_id, p.organization_id, a.client_id`,
  // Above 2 seconds, so that a statement that waited for a connection is no finding.
  process_clock: `
    SELECT 'process' AS kind, 'directory' AS id, NULL AS organization_id,
           round(abs(seconds)) || ' s ' || CASE WHEN seconds > 0 THEN 'ahead' ELSE 'behind' END AS detail
      FROM (SELECT extract(epoch FROM wall_clock - clock_timestamp()) AS seconds FROM instance) AS clock
     WHERE abs(seconds) > 2`,
  // A server that writes little ends a segment by archive_timeout alone.
  wal_archive: `
    SELECT 'database' AS kind, current_database() AS id, NULL AS organization_id,
           coalesce('archived until ' || to_char(last_archived_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC',
                    'nothing is archived')
             || coalesce(', failed at ' || to_char(last_failed_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC', '') AS detail
      FROM pg_stat_archiver,
           (SELECT setting::integer * interval '1 s' AS longest FROM pg_settings WHERE name = 'archive_timeout') AS timeout
     WHERE current_setting('archive_mode') <> 'off'
       AND (last_failed_time > coalesce(last_archived_time, '-infinity')
            OR longest > interval '0' AND coalesce(last_archived_time, stats_reset) < now() - greatest(3 * longest, interval '1 hour'))`,
}

interface FoundFor {
  readonly limit: number
  /** The relying party whose passkeys are second factors; undefined: there are none. */
  readonly rpId: string | undefined
  /** Whether clients may present certificates. */
  readonly takesCertificates: boolean
  /** Undefined: everything. */
  readonly seen?: SeenObjects | undefined
}

export class DoctorStore {
  readonly #database: Queryable
  readonly #wallClock: Clock

  /** `wallClock` is that of the process, which one check compares with PostgreSQL's. */
  constructor(database: Queryable, wallClock = systemClock) {
    this.#database = database
    this.#wallClock = wallClock
  }

  /**
   * The objects that a check concerns: how many, and the first `limit` of them ordered by id.
   */
  async find(
    check: CheckId,
    { limit, rpId, takesCertificates, seen }: FoundFor,
  ): Promise<{ readonly count: number; readonly findings: readonly DoctorFinding[] }> {
    const statement = STATEMENTS[check]
    if (statement.includes(REQUESTED_AUDIENCES) && !(await this.#audiencesArePublished())) {
      return { count: 0, findings: [] }
    }
    const { rows } = await this.#database.query<FindingRow>({
      name: '', // run by hand
      text: `WITH instance AS (SELECT $2::text AS rp_id, $3::timestamptz AS wall_clock, $5::boolean AS takes_certificates,
                                     $6::jsonb AS certificates)
             SELECT kind, id, organization_id AS "organizationId", detail, count(*) OVER () AS total
               FROM (${statement}) AS found WHERE $4::text[] IS NULL OR organization_id = ANY ($4)
              ORDER BY id, detail LIMIT $1`,
      values: [
        ...[limit, rpId ?? null, this.#wallClock(), seen?.organizationIds ?? null, takesCertificates],
        check === 'saml_certificate' ? JSON.stringify(await this.#endingCertificates()) : null,
      ],
    })
    return {
      count: Number(rows[0]?.total ?? 0),
      findings: rows.map(({ total: _total, ...finding }) => finding),
    }
  }

  /** The certificates of active SAML providers that have expired or expire soon. */
  async #endingCertificates() {
    const { rows } = await this.#database.query<{
      id: string
      owner: string
      certificate: string
      own: boolean
    }>({
      name: '', // run by hand
      text: `SELECT provider_id AS id, organization_id AS owner, certificate, certificate = ANY (own_certificates) AS own
               FROM directory.identity_provider, unnest(certificates || own_certificates) AS certificate
              WHERE type = 'saml' AND state = 'active'`,
      values: [],
    })
    const now = this.#wallClock().getTime()
    return rows.flatMap(({ id, owner, certificate, own }) => {
      const { validToDate, fingerprint256 } = new X509Certificate(Buffer.from(certificate, 'base64'))
      if (validToDate.getTime() > now + ENDS_SOON_MS) return []
      const ends = validToDate.getTime() <= now ? 'has expired' : 'expires'
      const name = fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase()
      const detail = `${own ? 'own certificate' : 'certificate'} ${name} ${ends} on ${validToDate.toISOString().slice(0, 10)}`
      return [{ id, organization_id: owner, detail }]
    })
  }

  async #audiencesArePublished(): Promise<boolean> {
    const { rows } = await this.#database.query<{ published: boolean }>({
      name: 'doctor.audiences_published', // catalogue
      text: `SELECT has_schema_privilege('grants_read', 'USAGE')
                AND to_regclass('${REQUESTED_AUDIENCES}') IS NOT NULL AS published
              WHERE to_regnamespace('grants_read') IS NOT NULL`,
    })
    return rows[0]?.published === true
  }
}

interface FindingRow extends DoctorFinding {
  readonly total: string
}

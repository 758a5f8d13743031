-- What other services may read. A column is added here or a `_v2` view is made; nothing is taken away.
-- Password hashes, TOTP seeds, token hashes and sealed values are in no view.

CREATE VIEW directory_read.organization_v1 AS
  SELECT o.organization_id,
         o.name,
         o.primary_domain,
         o.state = 'active' AS active,
         o.token_epoch
    FROM directory.organization o;

CREATE VIEW directory_read.project_v1 AS
  SELECT p.project_id,
         p.organization_id,
         p.name,
         o.state = 'active' AS active,
         p.project_role_assertion,
         p.project_role_check,
         p.has_project_check,
         ARRAY(SELECT r.role_key FROM directory.project_role r
                WHERE r.project_id = p.project_id ORDER BY r.role_key) AS role_keys
    FROM directory.project p
    JOIN directory.organization o USING (organization_id);

CREATE VIEW directory_read.user_grant_v1 AS
  SELECT g.user_id,
         g.project_id,
         g.user_grant_id,
         o.organization_id,
         o.primary_domain AS organization_primary_domain,
         ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                WHERE r.user_id = g.user_id AND r.project_id = g.project_id ORDER BY r.role_key) AS role_keys
    FROM directory.user_grant g
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id;

CREATE VIEW directory_read.account_claims_v1 AS
  SELECT a.user_id,
         a.kind,
         a.organization_id,
         o.name AS organization_name,
         o.primary_domain AS organization_primary_domain,
         a.user_name,
         a.user_name || '@' || o.primary_domain AS login_name,
         a.display_name AS name,
         a.given_name,
         a.family_name,
         a.middle_name,
         a.nickname,
         a.profile_url AS profile,
         a.picture,
         a.website,
         a.gender,
         a.birthdate,
         a.zoneinfo,
         a.preferred_language AS locale,
         a.email,
         a.email_verified,
         a.phone_number,
         a.phone_number_verified,
         a.street_address,
         a.locality,
         a.region,
         a.postal_code,
         a.country,
         -- Values as base64url without padding, the way the metadata claim carries them.
         coalesce((SELECT jsonb_object_agg(m.key, translate(encode(m.value, 'base64'), E'+/=\n', '-_'))
                     FROM directory.user_metadata m WHERE m.user_id = a.user_id), '{}') AS metadata,
         a.state = 'active' AND o.state = 'active' AS active,
         a.token_epoch,
         o.token_epoch AS organization_token_epoch,
         a.updated_at
    FROM directory.account a
    JOIN directory.organization o USING (organization_id);

-- Everything that may authenticate as a client: applications, and service users that have a secret.
CREATE VIEW directory_read.client_v1 AS
  SELECT c.client_id,
         'application' AS kind,
         c.application_id,
         NULL::text AS user_id,
         c.project_id,
         p.organization_id,
         c.name,
         c.type,
         c.auth_method,
         coalesce((SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at) ORDER BY s.secret_id DESC)
                     FROM directory.application_secret s WHERE s.application_id = c.application_id), '[]') AS secrets,
         coalesce((SELECT jsonb_agg(jsonb_build_object('kid', k.kid, 'jwk', k.jwk, 'expires_at', k.expires_at) ORDER BY k.kid)
                     FROM directory.application_key k WHERE k.application_id = c.application_id), '[]') AS keys,
         c.redirect_uris,
         c.post_logout_redirect_uris,
         c.response_types,
         c.grant_types,
         c.access_token_type,
         c.access_token_signing_alg,
         c.id_token_signing_alg,
         c.access_token_lifetime_seconds,
         c.id_token_lifetime_seconds,
         c.id_token_userinfo_assertion,
         c.access_token_role_assertion,
         c.id_token_role_assertion,
         c.back_channel_logout_uri,
         c.allowed_origins,
         c.dev_mode,
         c.pkce_optional,
         c.refresh_tokens_survive_logout,
         c.state = 'active' AND o.state = 'active' AS active,
         c.token_epoch,
         o.token_epoch AS organization_token_epoch
    FROM directory.application c
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id
  UNION ALL
  SELECT u.client_id,
         'service_user',
         NULL,
         u.user_id,
         NULL,
         a.organization_id,
         a.display_name,
         'service_user',
         'client_secret_basic',
         (SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at) ORDER BY s.secret_id DESC)
            FROM directory.service_user_secret s WHERE s.user_id = u.user_id),
         coalesce((SELECT jsonb_agg(jsonb_build_object('kid', k.kid, 'jwk', k.jwk, 'expires_at', k.expires_at) ORDER BY k.kid)
                     FROM directory.machine_key k WHERE k.user_id = u.user_id), '[]'),
         '{}',
         '{}',
         '{}',
         ARRAY['client_credentials'],
         u.access_token_type,
         u.access_token_signing_alg,
         'RS256',
         NULL,
         NULL,
         false,
         false,
         false,
         NULL,
         '{}',
         false,
         false,
         false,
         a.state = 'active' AND o.state = 'active',
         a.token_epoch,
         o.token_epoch
    FROM directory.service_user u
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
   WHERE u.client_id IS NOT NULL
     AND EXISTS (SELECT FROM directory.service_user_secret s WHERE s.user_id = u.user_id);

CREATE VIEW directory_read.setting_v1 AS
  SELECT s.access_token_lifetime_seconds,
         s.id_token_lifetime_seconds,
         s.refresh_idle_seconds,
         s.refresh_absolute_seconds,
         s.refresh_retry_window_seconds,
         s.session_idle_seconds,
         s.session_absolute_seconds,
         s.enable_impersonation,
         coalesce(s.default_organization_id,
                  (SELECT o.organization_id FROM directory.organization o
                    ORDER BY o.created_at, o.organization_id LIMIT 1)) AS default_organization_id
    FROM directory.setting s;

CREATE VIEW directory_read.feature_v1 AS
  SELECT name, enabled FROM directory.feature;

CREATE VIEW directory_read.change_v1 AS
  SELECT seq, xid, kind, id FROM directory.change;

GRANT USAGE ON SCHEMA directory_read TO signet_login, signet_token, signet_introspection;

GRANT SELECT ON directory_read.client_v1, directory_read.account_claims_v1, directory_read.project_v1,
  directory_read.organization_v1, directory_read.user_grant_v1, directory_read.change_v1
  TO signet_login, signet_token, signet_introspection;

-- Introspection judges tokens that exist; it has no use for how long the next one lives.
GRANT SELECT ON directory_read.setting_v1, directory_read.feature_v1 TO signet_login, signet_token;

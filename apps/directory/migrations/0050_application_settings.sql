-- How the claim with the roles of a user looks for an application, which claims it fills from metadata of users, and
-- whether a native application keeps to the registered port of http://localhost.

ALTER TABLE directory.application
  ADD COLUMN groups_claim      text    NOT NULL DEFAULT 'groups' CHECK (groups_claim IN ('groups', 'roles')),
  ADD COLUMN groups_qualified  boolean NOT NULL DEFAULT false,
  ADD COLUMN groups_as_objects boolean NOT NULL DEFAULT false,
  ADD COLUMN claim_mapping     jsonb   NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(claim_mapping) = 'object'),
  ADD COLUMN exact_localhost_port boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW directory_read.project_v1 AS
  SELECT p.project_id,
         p.organization_id,
         p.name,
         o.state = 'active' AS active,
         p.project_role_assertion,
         p.project_role_check,
         p.has_project_check,
         ARRAY(SELECT r.role_key FROM directory.project_role r
                WHERE r.project_id = p.project_id ORDER BY r.role_key) AS role_keys,
         p.allowed_audiences,
         -- In the order of role_keys.
         ARRAY(SELECT r.display_name FROM directory.project_role r
                WHERE r.project_id = p.project_id ORDER BY r.role_key) AS role_display_names
    FROM directory.project p
    JOIN directory.organization o USING (organization_id);

CREATE OR REPLACE VIEW directory_read.client_v1 AS
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
         o.token_epoch AS organization_token_epoch,
         c.may_call_api,
         c.first_party,
         c.groups_claim,
         c.groups_qualified,
         c.groups_as_objects,
         c.claim_mapping,
         c.exact_localhost_port
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
         o.token_epoch,
         false,
         false,
         'groups',
         false,
         false,
         '{}',
         false
    FROM directory.service_user u
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
   WHERE u.client_id IS NOT NULL
     AND EXISTS (SELECT FROM directory.service_user_secret s WHERE s.user_id = u.user_id);

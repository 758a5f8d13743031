CREATE OR REPLACE VIEW directory_read.setting_v1 AS
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
                    ORDER BY coalesce(o.imported_at, o.created_at), o.organization_id LIMIT 1)) AS default_organization_id,
         s.allow_impersonated_api_calls,
         s.iam_sign_in_max_age_seconds,
         coalesce(s.iam_requires_mfa, false) AS iam_requires_mfa,
         s.refresh_unused_retry_seconds,
         coalesce(s.require_pushed_authorization, false) AS require_pushed_authorization,
         coalesce(s.require_dpop_nonce, false) AS require_dpop_nonce,
         EXISTS (SELECT FROM directory.application a
                  WHERE a.grant_types @> ARRAY['urn:ietf:params:oauth:grant-type:device_code']
                    AND a.state = 'active') AS has_device_grant,
         EXISTS (SELECT FROM directory.application a
                  WHERE a.cross_app_access <> '{}' AND a.state = 'active') AS issues_identity_assertions,
         EXISTS (SELECT FROM directory.identity_provider i
                  WHERE i.cross_app_access AND i.state = 'active') AS takes_identity_assertions
    FROM directory.setting s;

GRANT SELECT ON directory_read.setting_v1 TO signet_introspection, signet_keys, signet_login, signet_token;

-- Null on a new instance: the first start of the directory stores whether roles of the instance need a second factor,
-- which depends on the issuer. No person can sign in before that start.
ALTER TABLE directory.setting ALTER COLUMN iam_requires_mfa DROP NOT NULL, ALTER COLUMN iam_requires_mfa DROP DEFAULT;

UPDATE directory.setting SET iam_requires_mfa = NULL
 WHERE NOT iam_requires_mfa AND NOT EXISTS (SELECT FROM directory.organization);

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
         coalesce(s.iam_requires_mfa, false) AS iam_requires_mfa
    FROM directory.setting s;

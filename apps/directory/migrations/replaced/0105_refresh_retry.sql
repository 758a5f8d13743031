-- For how long a refresh token is a retry while its successor was never used, at native and public clients, which
-- lose answers.
ALTER TABLE directory.setting ADD COLUMN refresh_unused_retry_seconds integer NOT NULL DEFAULT 600
  CHECK (refresh_unused_retry_seconds BETWEEN 0 AND 600);

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
         s.refresh_unused_retry_seconds
    FROM directory.setting s;

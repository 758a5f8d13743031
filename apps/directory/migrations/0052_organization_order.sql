-- The default organization is the one that has been in this instance for longest. An imported organization keeps the time
-- at which it was created elsewhere, which may be earlier. Null: it was created here.
ALTER TABLE directory.organization ADD COLUMN imported_at timestamptz;

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
         s.iam_requires_mfa
    FROM directory.setting s;

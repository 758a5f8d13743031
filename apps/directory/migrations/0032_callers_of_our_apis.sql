-- What the instance asks of those who call our own APIs, beside their roles.

ALTER TABLE directory.setting
  -- Whether a token with `act` is a bearer at all.
  ADD COLUMN allow_impersonated_api_calls boolean NOT NULL DEFAULT false,
  -- Of people who call with a role of the instance. Null: any age.
  ADD COLUMN iam_sign_in_max_age_seconds integer CHECK (iam_sign_in_max_age_seconds > 0),
  ADD COLUMN iam_requires_mfa boolean NOT NULL DEFAULT false;

CREATE TRIGGER count_revision_of_callers AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation = NEW.enable_impersonation
                     AND (OLD.allow_impersonated_api_calls, OLD.iam_sign_in_max_age_seconds, OLD.iam_requires_mfa)
                           IS DISTINCT FROM
                         (NEW.allow_impersonated_api_calls, NEW.iam_sign_in_max_age_seconds, NEW.iam_requires_mfa))
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');

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
                    ORDER BY o.created_at, o.organization_id LIMIT 1)) AS default_organization_id,
         s.allow_impersonated_api_calls,
         s.iam_sign_in_max_age_seconds,
         s.iam_requires_mfa
    FROM directory.setting s;

ALTER TABLE directory.application
  ADD COLUMN require_pushed_authorization boolean NOT NULL DEFAULT false;

-- Null: not decided, which is off.
ALTER TABLE directory.setting
  ADD COLUMN require_pushed_authorization boolean;

CREATE OR REPLACE TRIGGER count_revision_of_callers AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation = NEW.enable_impersonation
                     AND (OLD.allow_impersonated_api_calls, OLD.iam_sign_in_max_age_seconds, OLD.iam_requires_mfa,
                          OLD.require_pushed_authorization)
                           IS DISTINCT FROM
                         (NEW.allow_impersonated_api_calls, NEW.iam_sign_in_max_age_seconds, NEW.iam_requires_mfa,
                          NEW.require_pushed_authorization))
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');

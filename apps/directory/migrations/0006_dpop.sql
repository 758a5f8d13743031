ALTER TABLE directory.application
  -- Every access token is bound to the key of a DPoP proof (RFC 9449 section 5.2).
  ADD COLUMN dpop_bound_access_tokens boolean NOT NULL DEFAULT false;

ALTER TABLE directory.setting
  -- DPoP proofs need a nonce of the server (RFC 9449 section 8).
  ADD COLUMN require_dpop_nonce boolean;

CREATE OR REPLACE TRIGGER count_revision_of_callers AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation = NEW.enable_impersonation
                     AND (OLD.allow_impersonated_api_calls, OLD.iam_sign_in_max_age_seconds, OLD.iam_requires_mfa,
                          OLD.require_pushed_authorization, OLD.require_dpop_nonce)
                           IS DISTINCT FROM
                         (NEW.allow_impersonated_api_calls, NEW.iam_sign_in_max_age_seconds, NEW.iam_requires_mfa,
                          NEW.require_pushed_authorization, NEW.require_dpop_nonce))
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');

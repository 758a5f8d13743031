-- The use of passkeys in an organization, by its login policy (docs/spec 6.2); a member that is left out has its default.
CREATE OR REPLACE VIEW directory_read.passkey_policy_v1 AS
  SELECT organization_id,
         passkey_sign_in AS sign_in,
         passkey_second_factor AS second_factor,
         passkey_multi_factor AS multi_factor,
         passkey_offer_seconds AS offer_seconds,
         force_mfa
    FROM directory.effective_policy_v1;

GRANT SELECT ON directory_read.passkey_policy_v1 TO signet_login;

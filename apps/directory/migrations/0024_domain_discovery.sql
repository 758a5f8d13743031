-- Whether the domain of a typed login name leads to the identity providers of the organization.
ALTER TYPE directory.effective_policy ADD ATTRIBUTE allows_domain_discovery boolean;

CREATE OR REPLACE FUNCTION directory.effective_policy(
  login jsonb, lockout jsonb, password_complexity jsonb, domain jsonb, floors directory.setting
) RETURNS SETOF directory.effective_policy LANGUAGE sql IMMUTABLE ROWS 1
-- Parsed now: roles that read the views may not look names up in this schema.
BEGIN ATOMIC
  SELECT coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- A person who registers chooses a password, which is of no use where it does not sign in.
         (login IS NULL OR coalesce(login ->> 'allowRegister' = 'true', false))
           AND coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- Of sign-ins without a provider.
         coalesce('true' IN (login ->> 'forceMfa', login ->> 'forceMfaLocalOnly'), false),
         coalesce(login ->> 'passwordlessType' <> 'PASSWORDLESS_TYPE_NOT_ALLOWED', true),
         coalesce(nullif(login -> 'secondFactors', 'null'::jsonb) ? 'SECOND_FACTOR_TYPE_U2F', true),
         coalesce(nullif(login -> 'multiFactors', 'null'::jsonb) ? 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION', true),
         coalesce(directory.lifetime_seconds(login ->> 'mfaInitSkipLifetime'), 2592000),
         -- Null: as long as the session.
         directory.lifetime_seconds(login ->> 'passwordCheckLifetime'),
         directory.lifetime_seconds(login ->> 'secondFactorCheckLifetime'),
         directory.lifetime_seconds(login ->> 'multiFactorCheckLifetime'),
         coalesce(login ->> 'identifierFirst' = 'true', false),
         coalesce(login ->> 'hidePasswordReset' = 'true', false),
         coalesce(login ->> 'sessionEndsWithBrowser' = 'true', false),
         coalesce(login ->> 'disableLoginWithEmail' <> 'true', true),
         directory.stricter_attempts((lockout ->> 'maxPasswordAttempts')::numeric, (floors).max_password_attempts),
         directory.stricter_attempts((lockout ->> 'maxOtpAttempts')::numeric, (floors).max_otp_attempts),
         greatest((password_complexity ->> 'minLength')::integer, (floors).password_min_length),
         coalesce(password_complexity ->> 'hasUppercase' = 'true', false),
         coalesce(password_complexity ->> 'hasLowercase' = 'true', false),
         coalesce(password_complexity ->> 'hasNumber' = 'true', false),
         coalesce(password_complexity ->> 'hasSymbol' = 'true', false),
         coalesce(domain ->> 'userLoginMustBeDomain' = 'false', false),
         coalesce(login ->> 'forceMfa' = 'true', false),
         coalesce(login ->> 'allowExternalIdp' <> 'false', true),
         -- Null: no provider is left out.
         nullif(jsonb_path_query_array(login -> 'idps', '$[*].idpId'), '[]'::jsonb),
         directory.lifetime_seconds(login ->> 'externalLoginCheckLifetime'),
         coalesce(login ->> 'allowDomainDiscovery' = 'true', false);
END;

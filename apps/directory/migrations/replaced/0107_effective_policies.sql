-- The policies in force of an organization: what its documents say, with the defaults and the floors of the instance.
-- docs/reference/policy-members.md says how a member is added: an attribute here, a value in the function, the view again.
CREATE TYPE directory.effective_policy AS (
  allows_password           boolean,
  allows_registration       boolean,
  force_mfa                 boolean,
  passkey_sign_in           boolean,
  passkey_second_factor     boolean,
  passkey_multi_factor      boolean,
  passkey_offer_seconds     bigint,
  password_seconds          bigint,
  second_factor_seconds     bigint,
  multi_factor_seconds      bigint,
  identifier_first          boolean,
  hides_password_reset      boolean,
  session_ends_with_browser boolean,
  email_is_login_name       boolean,
  max_password_attempts     integer,
  max_otp_attempts          integer,
  password_min_length       integer,
  password_needs_uppercase  boolean,
  password_needs_lowercase  boolean,
  password_needs_number     boolean,
  password_needs_symbol     boolean,
  user_names_are_global     boolean
);

-- Only this function reads the members of login, lockout, password complexity and domain policies. A document is null where the
-- organization has no such policy; `floors` is null where no floor is asked for.
CREATE FUNCTION directory.effective_policy(
  login jsonb, lockout jsonb, password_complexity jsonb, domain jsonb, floors directory.setting
) RETURNS SETOF directory.effective_policy LANGUAGE sql IMMUTABLE ROWS 1
-- Parsed now: roles that read the views may not look names up in this schema.
BEGIN ATOMIC
  SELECT coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- A person who registers chooses a password, which is of no use where it does not sign in.
         (login IS NULL OR coalesce(login ->> 'allowRegister' = 'true', false))
           AND coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- Every sign-in is local, so the two members mean the same.
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
         coalesce(domain ->> 'userLoginMustBeDomain' = 'false', false);
END;

-- LIMIT: the row of the instance is never analyzed, and PostgreSQL takes it for hundreds. With that estimate the statement of a
-- sign-in, which reads this view, is planned again at each execution.
CREATE VIEW directory.effective_policy_v1 AS
  SELECT o.organization_id, p.*
    FROM directory.organization o
   CROSS JOIN (SELECT setting AS row FROM directory.setting LIMIT 1) s
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = o.organization_id AND login.kind = 'login'
    LEFT JOIN directory.organization_policy lockout
           ON lockout.organization_id = o.organization_id AND lockout.kind = 'lockout'
    LEFT JOIN directory.organization_policy password
           ON password.organization_id = o.organization_id AND password.kind = 'password_complexity'
    LEFT JOIN directory.organization_policy domain
           ON domain.organization_id = o.organization_id AND domain.kind = 'domain'
   CROSS JOIN LATERAL directory.effective_policy(
           login.document, lockout.document, password.document, domain.document, s.row) p;

-- What was published before, from the one place.

CREATE OR REPLACE VIEW directory_read.organization_v1 AS
  SELECT o.organization_id,
         o.name,
         o.primary_domain,
         o.state = 'active' AS active,
         o.token_epoch,
         p.allows_registration AS allow_register,
         p.max_password_attempts,
         p.password_min_length,
         p.password_needs_uppercase,
         p.password_needs_lowercase,
         p.password_needs_number,
         p.password_needs_symbol,
         p.force_mfa,
         p.password_seconds AS password_check_lifetime_seconds,
         p.second_factor_seconds AS second_factor_check_lifetime_seconds,
         p.multi_factor_seconds AS multi_factor_check_lifetime_seconds,
         p.max_otp_attempts,
         p.session_ends_with_browser
    FROM directory.organization o
    JOIN directory.effective_policy_v1 p USING (organization_id);

CREATE OR REPLACE VIEW directory_read.passkey_policy_v1 AS
  SELECT organization_id,
         passkey_sign_in AS sign_in,
         passkey_second_factor AS second_factor,
         passkey_multi_factor AS multi_factor,
         passkey_offer_seconds AS offer_seconds,
         force_mfa
    FROM directory.effective_policy_v1;

CREATE OR REPLACE VIEW directory_read.sign_in_page_v1 AS
  SELECT organization_id, identifier_first FROM directory.effective_policy_v1;

CREATE OR REPLACE VIEW directory_read.password_reset_v1 AS
  SELECT p.organization_id,
         p.allows_password,
         (s.sends_mail OR smtp.organization_id IS NOT NULL) AND NOT p.hides_password_reset AND p.allows_password AS offered
    FROM directory.effective_policy_v1 p
   CROSS JOIN directory.setting s
    LEFT JOIN directory.organization_smtp smtp USING (organization_id);

-- The rules for new passwords of an organization, with the members of the policy.
CREATE OR REPLACE FUNCTION directory.password_complexity(organization text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('minLength', p.password_min_length, 'hasUppercase', p.password_needs_uppercase,
                            'hasLowercase', p.password_needs_lowercase, 'hasNumber', p.password_needs_number,
                            'hasSymbol', p.password_needs_symbol)
    FROM directory.setting s
    LEFT JOIN directory.organization_policy o ON o.organization_id = organization AND o.kind = 'password_complexity'
   CROSS JOIN LATERAL directory.effective_policy(NULL, NULL, o.document, NULL, s) p
$$;

CREATE OR REPLACE FUNCTION directory.user_names_are_global(organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT p.user_names_are_global
                     FROM directory.organization_policy o
                    CROSS JOIN LATERAL directory.effective_policy(NULL, NULL, NULL, o.document, NULL) p
                    WHERE o.organization_id = organization AND o.kind = 'domain'), false)
$$;

CREATE OR REPLACE FUNCTION directory.has_credential(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.account_password
                   JOIN directory.account a USING (user_id)
                   JOIN directory.effective_policy_v1 p USING (organization_id)
                  WHERE user_id = account AND p.allows_password)
      OR directory.has_credential_beside_password(account)
$$;

CREATE OR REPLACE FUNCTION directory.accepted_passkeys(document jsonb) RETURNS boolean[] IMMUTABLE LANGUAGE sql AS $$
  SELECT ARRAY[p.passkey_sign_in, p.passkey_second_factor]
    FROM directory.effective_policy(document, NULL, NULL, NULL, NULL) p
$$;

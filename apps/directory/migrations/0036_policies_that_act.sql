-- Policies that sign-in obeys, and the floors of the instance below which no organization may go.

-- The person has to choose another password before they are signed in.
ALTER TABLE directory.account_password ADD COLUMN change_required boolean NOT NULL DEFAULT false;

ALTER TABLE directory.setting
  ADD COLUMN password_min_length    integer NOT NULL DEFAULT 8 CHECK (password_min_length BETWEEN 1 AND 72),
  -- Failures after which the next try has to wait; 0: it never has to.
  ADD COLUMN max_password_attempts  integer NOT NULL DEFAULT 5 CHECK (max_password_attempts BETWEEN 0 AND 1000),
  ADD COLUMN max_otp_attempts       integer NOT NULL DEFAULT 5 CHECK (max_otp_attempts BETWEEN 0 AND 1000);

-- The stricter number of failures, of documents that may come from elsewhere at most 1,000; an organization that names none has the number of the instance.
CREATE FUNCTION directory.stricter_attempts(of_organization numeric, of_instance integer) RETURNS integer
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN of_organization IS NULL OR of_organization = 0 AND of_instance > 0 THEN of_instance
              WHEN of_instance = 0 THEN least(of_organization, 1000)::integer
              ELSE least(of_organization, of_instance)::integer END
$$;

-- The rules for new passwords of an organization; it can only be stricter than the instance.
CREATE FUNCTION directory.password_complexity(organization text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(p.document, '{}')
         || jsonb_build_object('minLength', greatest((p.document ->> 'minLength')::integer, s.password_min_length))
    FROM directory.setting s
    LEFT JOIN directory.organization_policy p
           ON p.organization_id = organization AND p.kind = 'password_complexity'
$$;

-- `864000s` as a number; null: no such rule.
CREATE FUNCTION directory.lifetime_seconds(lifetime text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT trunc(rtrim(lifetime, 's')::numeric)::bigint
$$;

CREATE OR REPLACE VIEW directory_read.organization_v1 AS
  SELECT o.organization_id,
         o.name,
         o.primary_domain,
         o.state = 'active' AS active,
         o.token_epoch,
         -- Whoever registers chooses a password, which is of no use where it does not sign in.
         (login.document IS NULL OR coalesce(login.document ->> 'allowRegister' = 'true', false))
           AND coalesce(login.document ->> 'allowUsernamePassword' <> 'false', true) AS allow_register,
         directory.stricter_attempts((lockout.document ->> 'maxPasswordAttempts')::numeric, s.max_password_attempts)
           AS max_password_attempts,
         greatest((password.document ->> 'minLength')::integer, s.password_min_length) AS password_min_length,
         coalesce(password.document ->> 'hasUppercase' = 'true', false) AS password_needs_uppercase,
         coalesce(password.document ->> 'hasLowercase' = 'true', false) AS password_needs_lowercase,
         coalesce(password.document ->> 'hasNumber' = 'true', false) AS password_needs_number,
         coalesce(password.document ->> 'hasSymbol' = 'true', false) AS password_needs_symbol,
         -- Every sign-in is local, so the two members mean the same.
         coalesce(login.document ->> 'forceMfa' = 'true' OR login.document ->> 'forceMfaLocalOnly' = 'true', false)
           AS force_mfa,
         directory.lifetime_seconds(login.document ->> 'passwordCheckLifetime') AS password_check_lifetime_seconds,
         directory.lifetime_seconds(login.document ->> 'secondFactorCheckLifetime')
           AS second_factor_check_lifetime_seconds,
         directory.lifetime_seconds(login.document ->> 'multiFactorCheckLifetime')
           AS multi_factor_check_lifetime_seconds,
         directory.stricter_attempts((lockout.document ->> 'maxOtpAttempts')::numeric, s.max_otp_attempts)
           AS max_otp_attempts
    FROM directory.organization o
   CROSS JOIN directory.setting s
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = o.organization_id AND login.kind = 'login'
    LEFT JOIN directory.organization_policy lockout
           ON lockout.organization_id = o.organization_id AND lockout.kind = 'lockout'
    LEFT JOIN directory.organization_policy password
           ON password.organization_id = o.organization_id AND password.kind = 'password_complexity';

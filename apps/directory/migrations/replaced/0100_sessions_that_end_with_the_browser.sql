-- Whether the session cookie of people of an organization ends with their browser, by the login policy.
CREATE OR REPLACE VIEW directory_read.organization_v1 AS
  SELECT o.organization_id,
         o.name,
         o.primary_domain,
         o.state = 'active' AS active,
         o.token_epoch,
         -- A person who registers chooses a password, which is of no use where it does not sign in.
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
           AS max_otp_attempts,
         coalesce(login.document ->> 'sessionEndsWithBrowser' = 'true', false) AS session_ends_with_browser
    FROM directory.organization o
   CROSS JOIN directory.setting s
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = o.organization_id AND login.kind = 'login'
    LEFT JOIN directory.organization_policy lockout
           ON lockout.organization_id = o.organization_id AND lockout.kind = 'lockout'
    LEFT JOIN directory.organization_policy password
           ON password.organization_id = o.organization_id AND password.kind = 'password_complexity';

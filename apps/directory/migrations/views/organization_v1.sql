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
         p.session_ends_with_browser,
         p.force_mfa_of_providers,
         p.provider_seconds AS external_login_check_lifetime_seconds
    FROM directory.organization o
    JOIN directory.effective_policy_v1 p USING (organization_id);

GRANT SELECT ON directory_read.organization_v1 TO signet_introspection, signet_login, signet_token;

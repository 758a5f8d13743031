-- Everything that may authenticate as a client: applications, and service users that have a secret.
CREATE OR REPLACE VIEW directory_read.client_v1 AS
  SELECT c.client_id,
         'application' AS kind,
         c.application_id,
         NULL::text AS user_id,
         c.project_id,
         p.organization_id,
         c.name,
         c.type,
         c.auth_method,
         coalesce((SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at) ORDER BY s.secret_id DESC)
                     FROM directory.application_secret s WHERE s.application_id = c.application_id), '[]') AS secrets,
         coalesce((SELECT jsonb_agg(jsonb_build_object('kid', k.kid, 'jwk', k.jwk, 'expires_at', k.expires_at) ORDER BY k.kid)
                     FROM directory.application_key k WHERE k.application_id = c.application_id), '[]') AS keys,
         c.redirect_uris,
         c.post_logout_redirect_uris,
         c.response_types,
         c.grant_types,
         c.access_token_type,
         -- An import may leave settings that the profile forbids: its rules hold all the same.
         CASE WHEN c.fapi2 AND c.access_token_signing_alg = 'RS256' THEN 'ES256' ELSE c.access_token_signing_alg END
           AS access_token_signing_alg,
         CASE WHEN c.fapi2 AND c.id_token_signing_alg = 'RS256' THEN 'ES256' ELSE c.id_token_signing_alg END
           AS id_token_signing_alg,
         c.access_token_lifetime_seconds,
         c.id_token_lifetime_seconds,
         c.id_token_userinfo_assertion,
         c.access_token_role_assertion,
         c.id_token_role_assertion,
         c.back_channel_logout_uri,
         c.allowed_origins,
         c.dev_mode AND NOT c.fapi2 AS dev_mode,
         c.pkce_optional,
         c.refresh_tokens_survive_logout,
         c.state = 'active' AND o.state = 'active' AS active,
         c.token_epoch,
         o.token_epoch AS organization_token_epoch,
         c.may_call_api,
         c.first_party,
         c.groups_claim,
         c.groups_qualified,
         c.groups_as_objects,
         c.claim_mapping,
         c.exact_localhost_port,
         c.preferred_username_without_domain,
         c.home_page,
         c.initiate_login_uri,
         -- The FAPI 2.0 Security Profile (section 5.3.2) demands all three.
         c.require_pushed_authorization OR c.fapi2 AS require_pushed_authorization,
         -- A token is bound to one key; the profile takes either.
         (c.dpop_bound_access_tokens OR c.fapi2) AND NOT c.tls_client_certificate_bound_access_tokens
           AS dpop_bound_access_tokens,
         c.require_pkce OR c.fapi2 AS require_pkce,
         c.fapi2,
         c.tls_client_auth_subject_dn,
         c.tls_client_auth_san_dns,
         c.tls_client_auth_san_uri,
         c.tls_client_auth_san_ip,
         c.tls_client_auth_san_email,
         c.tls_client_certificate_bound_access_tokens,
         c.require_signed_requests,
         c.require_signed_responses,
         coalesce((SELECT jsonb_agg(jsonb_build_object('trustId', t.trust_id, 'issuer', t.issuer, 'subject', t.subject,
                                                       'claims', t.claims, 'keySet', t.key_set) ORDER BY t.trust_id)
                     FROM directory.application_issuer_trust t WHERE t.application_id = c.application_id), '[]')
           AS issuer_trusts,
         EXISTS (SELECT FROM directory.client_registration r WHERE r.application_id = c.application_id) AS is_registered,
         c.cross_app_access
    FROM directory.application c
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id
  UNION ALL
  SELECT u.client_id,
         'service_user',
         NULL,
         u.user_id,
         NULL,
         a.organization_id,
         a.display_name,
         'service_user',
         'client_secret_basic',
         (SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at) ORDER BY s.secret_id DESC)
            FROM directory.service_user_secret s WHERE s.user_id = u.user_id),
         coalesce((SELECT jsonb_agg(jsonb_build_object('kid', k.kid, 'jwk', k.jwk, 'expires_at', k.expires_at) ORDER BY k.kid)
                     FROM directory.machine_key k WHERE k.user_id = u.user_id), '[]'),
         '{}',
         '{}',
         '{}',
         ARRAY['client_credentials'],
         u.access_token_type,
         u.access_token_signing_alg,
         'RS256',
         NULL,
         NULL,
         false,
         false,
         false,
         NULL,
         '{}',
         false,
         false,
         false,
         a.state = 'active' AND o.state = 'active',
         a.token_epoch,
         o.token_epoch,
         false,
         false,
         'groups',
         false,
         false,
         '{}',
         false,
         false,
         NULL,
         NULL,
         false,
         false,
         false,
         false,
         NULL,
         NULL,
         NULL,
         NULL,
         NULL,
         false,
         false,
         false,
         '[]',
         false,
         '{}'
    FROM directory.service_user u
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
   WHERE u.client_id IS NOT NULL
     AND EXISTS (SELECT FROM directory.service_user_secret s WHERE s.user_id = u.user_id);

GRANT SELECT ON directory_read.client_v1 TO signet_introspection, signet_login, signet_token;

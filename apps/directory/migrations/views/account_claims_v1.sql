CREATE OR REPLACE VIEW directory_read.account_claims_v1 AS
  SELECT a.user_id,
         a.kind,
         a.organization_id,
         o.name AS organization_name,
         o.primary_domain AS organization_primary_domain,
         a.user_name,
         a.user_name || '@' || o.primary_domain AS login_name,
         a.display_name AS name,
         a.given_name,
         a.family_name,
         a.middle_name,
         a.nickname,
         a.profile_url AS profile,
         a.picture,
         a.website,
         a.gender,
         a.birthdate,
         a.zoneinfo,
         a.preferred_language AS locale,
         a.email,
         a.email_verified,
         a.phone_number,
         a.phone_number_verified,
         a.street_address,
         a.locality,
         a.region,
         a.postal_code,
         a.country,
         -- Values as base64url without padding, the way the metadata claim carries them.
         coalesce((SELECT jsonb_object_agg(m.key, translate(encode(m.value, 'base64'), E'+/=\n', '-_'))
                     FROM directory.user_metadata m WHERE m.user_id = a.user_id), '{}') AS metadata,
         a.state = 'active' AND o.state = 'active' AS active,
         a.token_epoch,
         o.token_epoch AS organization_token_epoch,
         a.updated_at
    FROM directory.account a
    JOIN directory.organization o USING (organization_id);

GRANT SELECT ON directory_read.account_claims_v1 TO signet_introspection, signet_login, signet_token;

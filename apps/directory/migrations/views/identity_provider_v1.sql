-- Every provider with its use: only this view says whether people may sign in by one. `place` orders the providers that the login
-- policy lists.
CREATE OR REPLACE VIEW directory.identity_provider_use_v1 AS
  SELECT i.provider_id,
         i.state = 'active' AND o.state = 'active' AND p.allows_providers
           AND (p.provider_ids IS NULL OR p.provider_ids ? i.provider_id) AS usable,
         (SELECT min(listed.place) FROM jsonb_array_elements_text(p.provider_ids) WITH ORDINALITY AS listed (id, place)
           WHERE listed.id = i.provider_id) AS place
    FROM directory.identity_provider i
    JOIN directory.organization o USING (organization_id)
    JOIN directory.effective_policy_v1 p USING (organization_id);

-- The providers that the sign-in page of an organization offers.
CREATE OR REPLACE VIEW directory_read.identity_provider_v1 AS
  SELECT i.provider_id, i.organization_id, i.name, i.preset, u.place, i.type, i.logo_media_type, i.logo_sha256
    FROM directory.identity_provider i
    JOIN directory.identity_provider_use_v1 u USING (provider_id)
   WHERE u.usable;

GRANT SELECT ON directory_read.identity_provider_v1 TO signet_login;

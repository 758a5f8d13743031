-- The providers whose identity assertions count now.
CREATE OR REPLACE VIEW directory_read.provider_assertion_v1 AS
  SELECT i.provider_id, i.organization_id, i.issuer, i.subject_claim, i.required_claims
    FROM directory.identity_provider i
    JOIN directory.identity_provider_use_v1 u USING (provider_id)
   WHERE i.cross_app_access AND u.usable;

GRANT SELECT ON directory_read.provider_assertion_v1 TO signet_token;

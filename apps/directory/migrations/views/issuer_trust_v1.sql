-- The issuers whose assertions a service user presents in place of its own.
CREATE OR REPLACE VIEW directory_read.issuer_trust_v1 AS
  SELECT user_id, trust_id, issuer, subject, claims, key_set FROM directory.issuer_trust;

GRANT SELECT ON directory_read.issuer_trust_v1 TO signet_token;

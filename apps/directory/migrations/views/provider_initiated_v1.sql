-- The usable providers at which a sign-in may begin, and where it ends.
CREATE OR REPLACE VIEW directory_read.provider_initiated_v1 AS
  SELECT i.provider_id, i.organization_id, i.assertion_consumer_path, i.provider_initiated_client_id AS client_id
    FROM directory.identity_provider i
    JOIN directory.identity_provider_use_v1 u USING (provider_id)
   WHERE u.usable AND i.provider_initiated;

GRANT SELECT ON directory_read.provider_initiated_v1 TO signet_login;

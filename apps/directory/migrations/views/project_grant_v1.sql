CREATE OR REPLACE VIEW directory_read.project_grant_v1 AS
  SELECT project_id, granted_organization_id FROM directory.project_grant WHERE accepted;

GRANT SELECT ON directory_read.project_grant_v1 TO signet_login, signet_token;

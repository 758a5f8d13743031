CREATE OR REPLACE VIEW directory_read.authorization_detail_type_v1 AS
  SELECT type, project_id FROM directory.authorization_detail_type;

GRANT SELECT ON directory_read.authorization_detail_type_v1 TO signet_login, signet_token;

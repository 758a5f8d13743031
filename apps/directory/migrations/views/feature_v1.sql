CREATE OR REPLACE VIEW directory_read.feature_v1 AS
  SELECT name, enabled FROM directory.feature;

GRANT SELECT ON directory_read.feature_v1 TO signet_introspection, signet_login, signet_token;

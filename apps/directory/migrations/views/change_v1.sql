CREATE OR REPLACE VIEW directory_read.change_v1 AS
  SELECT seq, xid, kind, id FROM directory.change;

GRANT SELECT ON directory_read.change_v1 TO signet_introspection, signet_login, signet_token;

CREATE OR REPLACE VIEW grants_read.revocation_v1 AS
  SELECT day, kind, id, value, until, xid FROM grants.revocation
   UNION ALL
  SELECT -1, 'k', kid, 1::bigint, 'infinity'::timestamptz, xid FROM grants.revoked_key;

GRANT SELECT ON grants_read.revocation_v1 TO signet_directory, signet_introspection, signet_keys, signet_login;

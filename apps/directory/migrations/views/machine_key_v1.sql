-- Public halves of the keys that service users sign assertions with.
CREATE OR REPLACE VIEW directory_read.machine_key_v1 AS
  SELECT user_id, kid, jwk, expires_at FROM directory.machine_key;

GRANT SELECT ON directory_read.machine_key_v1 TO signet_token;

CREATE OR REPLACE VIEW directory_read.ending_change_v1 AS
  SELECT seq, xid, kind, id, value, changed_at FROM directory.ending_change;

GRANT SELECT ON directory_read.ending_change_v1 TO signet_token;

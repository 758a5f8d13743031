CREATE OR REPLACE VIEW grants_read.ended_session_v1 AS SELECT sid FROM grants.ended_session;

GRANT SELECT ON grants_read.ended_session_v1 TO signet_login;

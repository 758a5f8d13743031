-- Which browser sessions have ended. A session lives 400 days at most, its row in grants.revocation only as long as an
-- access token. No rows are carried over: the login service refuses every session from before this migration, because
-- its record is not signed.
CREATE TABLE grants.ended_session (
  -- Month of the ending in UTC, counted from January 1970.
  month  integer NOT NULL,
  sid    text NOT NULL,
  PRIMARY KEY (month, sid)
) PARTITION BY RANGE (month);

CREATE INDEX ended_session_sid ON grants.ended_session (sid);

CREATE VIEW grants_read.ended_session_v1 AS SELECT sid FROM grants.ended_session;
GRANT SELECT ON grants_read.ended_session_v1 TO signet_login;

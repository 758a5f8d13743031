-- When a person ended the access of an application last: an assertion of another issuer about an earlier sign-in gives it none
-- (docs/decisions/0114). Written by an act of the person alone; rows older than 400 days are deleted by the hourly round.
CREATE TABLE grants.ended_access (
  user_id    text NOT NULL,
  client_id  text NOT NULL,
  ended_at   timestamptz NOT NULL,
  PRIMARY KEY (user_id, client_id)
);

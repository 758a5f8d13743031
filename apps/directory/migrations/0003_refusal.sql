-- Requests of the last week that were refused, or answered otherwise than they asked: the newest 100 of each client
-- (docs/decisions/0085-refusals-are-kept-for-a-week.md). Without foreign keys: a row outlives its client and its person by a week.
CREATE TABLE directory.refusal (
  refusal_id           uuid PRIMARY KEY,
  at                   timestamptz NOT NULL,
  request_id           text NOT NULL,
  service              text NOT NULL,
  result               text NOT NULL CHECK (result IN ('refused', 'changed')),
  reason               text NOT NULL,
  client_id            text NOT NULL,
  -- Null for a service user.
  application_id       text,
  project_id           text,
  -- Owner of the client.
  organization_id      text NOT NULL,
  user_id              text,
  user_organization_id text,
  client_address       text,
  -- Short values that the rule looked at.
  details              jsonb NOT NULL
);
CREATE INDEX refusal_at ON directory.refusal (at, refusal_id);
CREATE INDEX refusal_request ON directory.refusal (request_id);
CREATE INDEX refusal_client ON directory.refusal (client_id, at, refusal_id);
CREATE INDEX refusal_user ON directory.refusal (user_id, at, refusal_id) WHERE user_id IS NOT NULL;

-- RFC 8693: a refresh family that a token exchange began. It has no browser session of its own, keeps its actor and
-- audience through every refresh, and dies with whatever the exchanged tokens rested on.
ALTER TABLE grants.authorization_grant
  ALTER COLUMN sid       DROP NOT NULL,
  ALTER COLUMN auth_time DROP NOT NULL,
  ADD COLUMN act               jsonb,
  -- What its access tokens carry of the exchanged ones.
  ADD COLUMN origins           jsonb NOT NULL DEFAULT '[]',
  -- Null: the application's own.
  ADD COLUMN audience          text[],
  ADD COLUMN access_token_type text CHECK (access_token_type IN ('bearer', 'jwt'));

CREATE TABLE grants.grant_origin (
  end_week  integer NOT NULL,
  grant_id  text NOT NULL,
  -- As in grants.revocation.
  kind      text NOT NULL CHECK (kind IN ('g', 's', 'u', 'c', 'o')),
  id        text NOT NULL,
  -- For u, c and o: dead when a higher one was published.
  epoch     bigint,
  PRIMARY KEY (end_week, grant_id, kind, id)
) PARTITION BY RANGE (end_week);

-- A logout or a revocation ends what was exchanged for it.
CREATE INDEX grant_origin_by_id ON grants.grant_origin (kind, id);

-- What was granted, redeemed and revoked. Everything that grows is partitioned by time; partitions are made ahead
-- and dropped by the token service, never cleaned row by row.

CREATE TABLE grants.authorization_grant (
  -- Week, counted from 1970, in which the grant ends at the latest; also the first part of grant_id.
  end_week                    integer NOT NULL,
  grant_id                    text NOT NULL,
  client_id                   text NOT NULL,
  client_epoch                bigint NOT NULL,
  client_organization_id      text NOT NULL,
  client_organization_epoch   bigint NOT NULL,
  user_id                     text NOT NULL,
  user_epoch                  bigint NOT NULL,
  user_organization_id        text NOT NULL,
  user_organization_epoch     bigint NOT NULL,
  sid                         text NOT NULL,
  scopes                      text[] NOT NULL,
  auth_time                   timestamptz NOT NULL,
  amr                         text[] NOT NULL,
  created_at                  timestamptz NOT NULL,
  -- Key that authenticates the refresh tokens of this family; null when the grant has none.
  refresh_kid                 text,
  -- Rotations so far: the counter of the one refresh token that is valid now.
  counter                     integer NOT NULL DEFAULT 0,
  rotated_at                  timestamptz,
  idle_end                    timestamptz NOT NULL,
  absolute_end                timestamptz NOT NULL,
  ended_at                    timestamptz,
  end_reason                  text,
  PRIMARY KEY (end_week, grant_id)
) PARTITION BY RANGE (end_week);

-- Logout ends the grants of a session.
CREATE INDEX authorization_grant_sid ON grants.authorization_grant (sid) WHERE ended_at IS NULL;

CREATE TABLE grants.code_redemption (
  -- Day of issue of the code, counted from 1970.
  day       integer NOT NULL,
  code_id   text NOT NULL,
  grant_id  text NOT NULL,
  PRIMARY KEY (day, code_id)
) PARTITION BY RANGE (day);

CREATE TABLE grants.revocation (
  -- Day of the revocation, counted from 1970.
  day           integer NOT NULL,
  -- t token, g grant, s session, k key, u user, c client, o organization
  kind          text NOT NULL CHECK (kind IN ('t', 'g', 's', 'k', 'u', 'c', 'o')),
  id            text NOT NULL,
  -- 1 for what ends at once; for u, c and o the epoch below which everything is dead.
  value         bigint NOT NULL,
  -- Chooses the shard of the mirror; null for kinds that concern every shard.
  subject       text,
  revoked_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null until the mirror holds it.
  published_at  timestamptz,
  PRIMARY KEY (day, kind, id)
) PARTITION BY RANGE (day);

CREATE INDEX revocation_by_id ON grants.revocation (kind, id);
CREATE INDEX revocation_unpublished ON grants.revocation (revoked_at) WHERE published_at IS NULL;

CREATE VIEW grants_read.revocation_v1 AS
  SELECT kind, id, value, subject, revoked_at FROM grants.revocation;

GRANT USAGE ON SCHEMA grants_read TO signet_introspection, signet_login;
GRANT SELECT ON grants_read.revocation_v1 TO signet_introspection, signet_login;

-- A refresh or a logout that waits longer for a row than this is answered 503 rather than piling up.
ALTER ROLE signet_token SET lock_timeout = '2s';

-- replaces the files of commit 738cc7c4 and later ones:
--   0001_grants.sql 0002_revocation_by_time.sql 0003_requested_claims.sql 0004_exchanged_grants.sql 0005_back_channel_logout.sql
--   0006_audit.sql 0007_grants_of_user.sql 0008_audit_search.sql 0009_logout_by_epoch.sql 0010_plans.sql
--   0011_origins_of_tokens.sql 0014_requested_audiences.sql 0015_endings.sql 0016_week_index.sql 0018_ended_sessions.sql
--   0019_generation.sql 0020_log_key.sql 0021_logout_receivers.sql

-- What was granted, redeemed and revoked. Everything that grows is partitioned by time; partitions are made ahead
-- and dropped by the token service, never cleaned row by row.

-- A refresh or a logout that waits longer for a row than this is answered 503 rather than piling up.
ALTER ROLE signet_token SET lock_timeout = '2s';
-- Every statement of the token service finds few rows by their keys, so that one plan serves all values. Left to
-- choose, the planner makes a new one for each call of those that take lists.
ALTER ROLE signet_token SET plan_cache_mode = 'force_generic_plan';

CREATE TABLE grants.authorization_grant (
  -- Week, counted from 1970, in which the grant ends at the latest; also the first part of grant_id.
  end_week                   integer NOT NULL,
  grant_id                   text NOT NULL,
  client_id                  text NOT NULL,
  client_epoch               bigint NOT NULL,
  client_organization_id     text NOT NULL,
  client_organization_epoch  bigint NOT NULL,
  user_id                    text NOT NULL,
  user_epoch                 bigint NOT NULL,
  user_organization_id       text NOT NULL,
  user_organization_epoch    bigint NOT NULL,
  -- Null, as auth_time, for a refresh family that a token exchange began (RFC 8693): it has no browser session of its own.
  sid                        text,
  scopes                     text[] NOT NULL,
  auth_time                  timestamptz,
  amr                        text[] NOT NULL,
  created_at                 timestamptz NOT NULL,
  -- Key that authenticates the refresh tokens of this family; null when the grant has none.
  refresh_kid                text,
  -- Rotations so far: the counter of the one refresh token that is valid now.
  counter                    integer NOT NULL DEFAULT 0,
  rotated_at                 timestamptz,
  idle_end                   timestamptz NOT NULL,
  absolute_end               timestamptz NOT NULL,
  ended_at                   timestamptz,
  end_reason                 text,
  -- OIDC Core section 5.5: claims asked for by name keep their answer through every refresh; section 2: so does acr.
  acr                        text,
  userinfo_claims            text[] NOT NULL DEFAULT '{}',
  id_token_claims            text[] NOT NULL DEFAULT '{}',
  -- A family that a token exchange began keeps its actor and audience through every refresh.
  act                        jsonb,
  -- What its access tokens carry of the exchanged ones.
  origins                    jsonb NOT NULL DEFAULT '[]',
  -- Null: the application's own.
  audience                   text[],
  access_token_type          text CHECK (access_token_type IN ('bearer', 'jwt')),
  -- The generation of the database (grants.generation) when it was made.
  generation                 bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (end_week, grant_id)
) PARTITION BY RANGE (end_week);
-- Logout ends the grants of a session.
CREATE INDEX authorization_grant_sid ON grants.authorization_grant (sid) WHERE ended_at IS NULL;
-- People see which applications hold a grant of theirs, and end those grants.
CREATE INDEX authorization_grant_user ON grants.authorization_grant (user_id, client_id) WHERE ended_at IS NULL;

CREATE TABLE grants.code_redemption (
  -- Day of issue of the code, counted from 1970.
  day       integer NOT NULL,
  code_id   text NOT NULL,
  grant_id  text NOT NULL,
  PRIMARY KEY (day, code_id)
) PARTITION BY RANGE (day);

-- What the tokens rested on that a grant was exchanged for, and these tokens themselves: the grant ends with each of them.
CREATE TABLE grants.grant_origin (
  end_week  integer NOT NULL,
  grant_id  text NOT NULL,
  -- As in grants.revocation.
  kind      text NOT NULL CHECK (kind IN ('t', 'p', 'g', 's', 'u', 'c', 'o')),
  id        text NOT NULL,
  -- For u, c and o: dead when a higher one was published.
  epoch     bigint,
  PRIMARY KEY (end_week, grant_id, kind, id)
) PARTITION BY RANGE (end_week);
-- A logout or a revocation ends what was exchanged for it.
CREATE INDEX grant_origin_by_id ON grants.grant_origin (kind, id);

-- Which application took part in which browser session (OpenID Connect Back-Channel Logout 1.0), and the epochs that the session
-- was made under there.
CREATE TABLE grants.session_client (
  sid                        text NOT NULL,
  client_id                  text NOT NULL,
  -- Week, counted from 1970, in which a session of now ends at the latest. An application that did not come back for
  -- so long is not counted to the session any more.
  end_week                   integer NOT NULL,
  user_id                    text NOT NULL,
  user_epoch                 bigint NOT NULL,
  -- Set when the application was queued to be told.
  ended_at                   timestamptz,
  client_epoch               bigint,
  client_organization_id     text,
  client_organization_epoch  bigint,
  user_organization_id       text,
  user_organization_epoch    bigint,
  PRIMARY KEY (sid, client_id, end_week)
) PARTITION BY RANGE (end_week);
-- A higher epoch of a user, a client or an organization ends all sessions under lower ones.
CREATE INDEX session_client_user ON grants.session_client (user_id) WHERE ended_at IS NULL;
CREATE INDEX session_client_client ON grants.session_client (client_id) WHERE ended_at IS NULL;
CREATE INDEX session_client_client_organization ON grants.session_client (client_organization_id)
  WHERE ended_at IS NULL;
CREATE INDEX session_client_user_organization ON grants.session_client (user_organization_id) WHERE ended_at IS NULL;

-- Applications to be told of the end of a session.
CREATE TABLE grants.logout_delivery (
  -- Day of the end, counted from 1970.
  day          integer NOT NULL,
  -- Value of `jti`, the same in every try, so that the application can tell a repetition.
  delivery_id  text NOT NULL DEFAULT gen_random_uuid()::text,
  sid          text NOT NULL,
  user_id      text NOT NULL,
  client_id    text NOT NULL,
  -- As the application had them when the session ended.
  uri          text NOT NULL,
  signing_alg  text NOT NULL,
  failures     integer NOT NULL DEFAULT 0,
  -- Null once there is an outcome. A replica that tries moves it ahead, so that another one takes over.
  due_at       timestamptz,
  outcome      text CHECK (outcome IN ('delivered', 'given_up')),
  PRIMARY KEY (day, delivery_id),
  CHECK ((due_at IS NULL) = (outcome IS NOT NULL))
) PARTITION BY RANGE (day);
-- For versions before `logout_delivery_receiver`.
CREATE INDEX logout_delivery_due ON grants.logout_delivery (due_at) WHERE due_at IS NOT NULL;
-- The deliveries to one host in order of time: the outbox takes a few of each host at once.
CREATE INDEX logout_delivery_receiver ON grants.logout_delivery (
  lower(regexp_replace(split_part(split_part(uri, '/', 3), '?', 1), '^.*@|:[0-9]*$', '', 'g')), due_at)
  WHERE due_at IS NOT NULL;

-- The number of this database among those that a restore made. After a restore from a backup the tables lack every ending since
-- the backup, so each restore raises the number, and grants of a lower one are dead.
CREATE TABLE grants.generation (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  value     bigint NOT NULL CHECK (value >= 0)
);
INSERT INTO grants.generation (value) VALUES (0);

-- Keys stay revoked for ever, so they have a table without partitions.
CREATE TABLE grants.revoked_key (
  kid         text PRIMARY KEY CHECK (kid <> ''),
  revoked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX revoked_key_by_xid ON grants.revoked_key (xid);

CREATE TABLE grants.revocation (
  -- Day of `until` in UTC, counted from 1970.
  day    integer NOT NULL,
  -- t access token, p personal access token, g grant, s session, u user, c client, o organization
  kind   text NOT NULL CHECK (kind IN ('t', 'p', 'g', 's', 'u', 'c', 'o')),
  -- Of a personal access token its user and itself, with a space in between; no id holds a space.
  id     text NOT NULL CHECK (id <> ''),
  -- 1 for what ends at once; for u, c and o the epoch below which everything is dead.
  value  bigint NOT NULL CHECK (value >= 1),
  -- Nothing that this could end lives longer.
  until  timestamptz NOT NULL,
  -- The last transaction that wrote the row: readers poll what their last snapshot did not see.
  xid    xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (day, kind, id)
) PARTITION BY RANGE (day);
CREATE INDEX revocation_by_id ON grants.revocation (kind, id);
CREATE INDEX revocation_by_xid ON grants.revocation (xid, kind, id);

-- In which weeks the rows lie that end with a session, a user, a grant or a token, so that an ending names these weeks
-- and opens no other partition: 62 of them, with their indexes, are more locks than a default PostgreSQL has for a few
-- endings at once.
CREATE TABLE grants.week_index (
  -- s session, u user, g grant, t access token, p personal access token
  kind      text NOT NULL CHECK (kind IN ('s', 'u', 'g', 't', 'p')),
  id        text NOT NULL,
  -- The table with rows of that week: grants of the session or user, grants that were exchanged for it, applications
  -- that took part in the session or in one of the user.
  relation  text NOT NULL CHECK (relation IN ('authorization_grant', 'grant_origin', 'session_client')),
  end_week  integer NOT NULL,
  PRIMARY KEY (kind, id, relation, end_week)
) PARTITION BY RANGE (end_week);

-- The partitions of both tables that the first requests need; the token service makes and drops all others. An ending of now
-- lies three days ahead at most. The week index has partitions of 26 weeks, because an ending searches all of them.
DO $$
DECLARE
  today integer := floor(extract(epoch FROM clock_timestamp()) / 86400);
  this_week integer := floor(extract(epoch FROM now()) / 604800);
BEGIN
  FOR slot IN today..today + 3 LOOP
    EXECUTE format('CREATE TABLE grants.revocation_%1$s PARTITION OF grants.revocation FOR VALUES FROM (%1$s) TO (%2$s)',
                   slot, slot + 1);
  END LOOP;
  FOR slot IN (this_week - 1) / 26 .. (this_week + 60) / 26 LOOP
    EXECUTE format('CREATE TABLE grants.%I PARTITION OF grants.week_index FOR VALUES FROM (%s) TO (%s)',
                   'week_index_' || slot, slot * 26, (slot + 1) * 26);
  END LOOP;
END $$;

-- Which browser sessions have ended. A session lives 400 days at most, its row in grants.revocation only as long as an
-- access token.
CREATE TABLE grants.ended_session (
  -- Month of the ending in UTC, counted from January 1970.
  month  integer NOT NULL,
  sid    text NOT NULL,
  PRIMARY KEY (month, sid)
) PARTITION BY RANGE (month);
CREATE INDEX ended_session_sid ON grants.ended_session (sid);

-- Proves which entries of the log of endings in Redis the token service wrote. In no view, so that other roles cannot read
-- it. A backup holds it: after a restore the entries since the backup are still proven.
CREATE TABLE grants.log_key (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  key       bytea NOT NULL CHECK (length(key) = 32)
);
-- Each UUID has 122 random bits.
INSERT INTO grants.log_key (key)
  VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- Whether what the tokens rested on, which a grant was exchanged for, still lives by its epochs. A function, because
-- few grants were exchanged, and a subquery would be made ready for every rotation of every other.
CREATE FUNCTION grants.origins_are_alive(week integer, id text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- grant_origin's primary key, the keys of the views
  RETURN NOT EXISTS (
    SELECT FROM grants.grant_origin o
     WHERE o.end_week = week AND o.grant_id = origins_are_alive.id AND CASE o.kind
       WHEN 'u' THEN NOT EXISTS (SELECT FROM directory_read.account_life_v1 a
                                  WHERE a.user_id = o.id AND a.active AND a.token_epoch <= o.epoch)
       WHEN 'c' THEN NOT EXISTS (SELECT FROM directory_read.client_life_v1 c
                                  WHERE c.client_id = o.id AND c.active AND c.token_epoch <= o.epoch)
       WHEN 'o' THEN NOT EXISTS (SELECT FROM directory_read.organization_v1 n
                                  WHERE n.organization_id = o.id AND n.active AND n.token_epoch <= o.epoch)
       ELSE false END);
END $$;

-- What `signet-migrate restored` does here while no service runs. The rows of the feed get the current transaction:
-- another cluster may count transactions from a lower number.
CREATE FUNCTION grants.restored(moment timestamptz, revoked_keys text[], log_generation bigint) RETURNS TABLE (part text, number bigint)
LANGUAGE plpgsql AS $$
BEGIN
  part := 'generation';
  -- Above that of the log too: services refuse to start beside a log of a higher one.
  UPDATE grants.generation
     SET value = greatest(value + 1, log_generation + 1, floor(extract(epoch FROM moment))::bigint)
    RETURNING value INTO number;
  RETURN NEXT;
  part := 'endings read again';
  UPDATE grants.revocation SET xid = pg_current_xact_id();
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'revoked keys found in the log';
  UPDATE grants.revoked_key SET xid = pg_current_xact_id();
  INSERT INTO grants.revoked_key (kid) SELECT unnest(revoked_keys) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'back-channel logouts sent again';
  UPDATE grants.logout_delivery SET due_at = moment WHERE due_at > moment;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
END $$;

GRANT USAGE ON SCHEMA grants_read TO signet_introspection, signet_login, signet_directory, signet_keys;

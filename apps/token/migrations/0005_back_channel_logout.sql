-- OpenID Connect Back-Channel Logout 1.0: who is to be told of the end of a session, and what has been told.

-- Which application took part in which browser session.
CREATE TABLE grants.session_client (
  sid         text NOT NULL,
  client_id   text NOT NULL,
  -- Week, counted from 1970, in which a session of now ends at the latest. An application that did not come back for
  -- so long is not counted to the session any more.
  end_week    integer NOT NULL,
  user_id     text NOT NULL,
  user_epoch  bigint NOT NULL,
  -- Set when the application was queued to be told.
  ended_at    timestamptz,
  PRIMARY KEY (sid, client_id, end_week)
) PARTITION BY RANGE (end_week);

-- A higher epoch of a user ends all sessions under lower ones.
CREATE INDEX session_client_user ON grants.session_client (user_id) WHERE ended_at IS NULL;

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
  -- Null once there is an outcome. Whoever tries moves it ahead: if it dies, somebody else tries then.
  due_at       timestamptz,
  outcome      text CHECK (outcome IN ('delivered', 'given_up')),
  PRIMARY KEY (day, delivery_id),
  CHECK ((due_at IS NULL) = (outcome IS NOT NULL))
) PARTITION BY RANGE (day);

CREATE INDEX logout_delivery_due ON grants.logout_delivery (due_at) WHERE due_at IS NOT NULL;

-- Tests of identity providers that administrators have begun. A row is of use for minutes; expired ones are deleted with the next test.
CREATE TABLE directory.identity_provider_test (
  test_id     text PRIMARY KEY,
  provider_id directory.object_id NOT NULL REFERENCES directory.identity_provider ON DELETE CASCADE,
  -- The administrator, who alone reads the result.
  user_id     text NOT NULL,
  -- SHA-256 of the secret of the link; null when the test has begun.
  token_hash  bytea UNIQUE CHECK (length(token_hash) = 32),
  -- SHA-256 of the state that the provider sends back; null before, and when the test has ended.
  state_hash  bytea UNIQUE CHECK (length(state_hash) = 32),
  -- What the management API answers, once.
  result      jsonb,
  expires_at  timestamptz NOT NULL,
  -- A new test takes the place of the one before.
  UNIQUE (provider_id, user_id)
);
CREATE INDEX identity_provider_test_expires_at ON directory.identity_provider_test (expires_at);

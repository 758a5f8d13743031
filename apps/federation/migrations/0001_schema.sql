-- Sign-ins by identity providers that have begun: the person is at the provider now.
CREATE TABLE federation.request (
  -- SHA-256 of the state that the provider sends back.
  state_hash   bytea PRIMARY KEY CHECK (length(state_hash) = 32),
  provider_id  text NOT NULL,
  -- What binds the sign-in to one browser, as login made it.
  browser      text NOT NULL CHECK (length(browser) BETWEEN 1 AND 200),
  -- Organization that the person signs in to; empty for any.
  organization_id  text NOT NULL,
  -- Nonce, code verifier and the greatest age of the authentication.
  sealed       bytea NOT NULL,
  expires_at   timestamptz NOT NULL
);
-- Counts the requests of one provider, and finds the expired ones of all.
CREATE INDEX request_provider ON federation.request (provider_id, expires_at);
CREATE INDEX request_expires_at ON federation.request (expires_at);

-- What `signet-migrate restored` does here while no service runs: sign-ins of the time of the backup are over.
CREATE FUNCTION federation.restored() RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  part := 'sign-ins by identity providers under way deleted';
  DELETE FROM federation.request;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
END $$;

-- SAML assertions that signed a person in: each one does once, in all replicas.
CREATE TABLE federation.used_assertion (
  -- SHA-256 of the provider and the ID of the assertion.
  assertion_hash bytea PRIMARY KEY CHECK (length(assertion_hash) = 32),
  -- From then on the times of the assertion refuse it.
  expires_at     timestamptz NOT NULL
);
CREATE INDEX used_assertion_expires_at ON federation.used_assertion (expires_at);

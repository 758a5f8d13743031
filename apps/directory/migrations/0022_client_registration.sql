-- Initial access tokens (RFC 7591 section 3): their holders register clients in the project, within the policy of the token.
CREATE TABLE directory.registration_token (
  token_id            directory.object_id PRIMARY KEY,
  project_id          directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  token_hash          bytea NOT NULL UNIQUE,
  redirect_hosts      text[] NOT NULL,
  loopback_redirects  boolean NOT NULL,
  grant_types         text[] NOT NULL,
  auth_methods        text[] NOT NULL,
  -- Most clients at once.
  most_clients        integer NOT NULL CHECK (most_clients BETWEEN 1 AND 10000),
  -- A client that no person uses for so long is deleted.
  unused_days         integer NOT NULL CHECK (unused_days BETWEEN 1 AND 400),
  created_at          timestamptz NOT NULL,
  expires_at          timestamptz NOT NULL
);
-- Lists of a project go by id; deleting them with it.
CREATE INDEX registration_token_project ON directory.registration_token (project_id, token_id);

-- The applications that registered themselves, and how they manage their registration (RFC 7592).
CREATE TABLE directory.client_registration (
  application_id     directory.object_id PRIMARY KEY REFERENCES directory.application ON DELETE CASCADE,
  -- Null when it was revoked: nothing may be changed then.
  token_id           directory.object_id REFERENCES directory.registration_token ON DELETE SET NULL,
  access_token_hash  bytea NOT NULL,
  unused_days        integer NOT NULL,
  -- When it is deleted unless it is in use then.
  unused_until       timestamptz NOT NULL
);
-- Counts the clients of a token.
CREATE INDEX client_registration_token ON directory.client_registration (token_id);
CREATE INDEX client_registration_unused ON directory.client_registration (unused_until);

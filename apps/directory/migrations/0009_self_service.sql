-- What people do for themselves: a second factor, consent, registration.

-- The newest time step (RFC 6238) that a code was accepted for; no code of it or of an earlier one is accepted again.
ALTER TABLE directory.account_totp ADD COLUMN last_step bigint NOT NULL DEFAULT 0;

-- What a person has agreed to give an application.
CREATE TABLE directory.consent (
  user_id    directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  client_id  directory.object_id NOT NULL REFERENCES directory.application (client_id)
             ON DELETE CASCADE ON UPDATE CASCADE,
  scope      text NOT NULL CHECK (char_length(scope) BETWEEN 1 AND 1000),
  agreed_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, client_id, scope)
);
-- Deleting an application.
CREATE INDEX consent_client ON directory.consent (client_id);

-- Who tried to register of late: an IPv4 address, or the /64 of an IPv6 one, since that is what one household has.
CREATE TABLE directory.registration_attempt (
  source        inet NOT NULL,
  attempted_at  timestamptz NOT NULL
);
CREATE INDEX registration_attempt_source ON directory.registration_attempt (source, attempted_at);

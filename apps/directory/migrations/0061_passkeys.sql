-- Passkeys (WebAuthn Level 3): public keys with which people sign in.

CREATE TABLE directory.passkey_user (
  user_id           directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- WebAuthn section 5.4.3: random, and no personal data, because authenticators show it to other sites.
  handle            bytea NOT NULL UNIQUE CHECK (octet_length(handle) = 32),
  -- When the person last declined to add a passkey.
  offer_skipped_at  timestamptz
);

CREATE TABLE directory.passkey (
  passkey_id       directory.object_id PRIMARY KEY,
  user_id          directory.object_id NOT NULL REFERENCES directory.passkey_user ON DELETE CASCADE,
  -- The relying party that it was made for; browsers offer it to no other.
  rp_id            text NOT NULL,
  credential_id    bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 16 AND 1023),
  -- COSE_Key (RFC 9052)
  public_key       bytea NOT NULL,
  -- The signature counter of the last sign-in; 0 for authenticators without one.
  counter          bigint NOT NULL,
  transports       text[] NOT NULL,
  aaguid           uuid NOT NULL,
  name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  -- Whether the private key may be on several devices, and whether it is.
  backup_eligible  boolean NOT NULL,
  backed_up        boolean NOT NULL,
  created_at       timestamptz NOT NULL,
  last_used_at     timestamptz,
  -- When the counter went back: two authenticators have the private key. It signs in no more.
  cloned_at        timestamptz,
  UNIQUE (rp_id, credential_id)
);
-- The passkeys of a person.
CREATE INDEX passkey_of_user ON directory.passkey (user_id, passkey_id);

-- The use of passkeys in an organization, by its login policy (docs/spec 6.2); a member that is left out has its default.
CREATE VIEW directory_read.passkey_policy_v1 AS
  SELECT o.organization_id,
         coalesce(p.document ->> 'passwordlessType' <> 'PASSWORDLESS_TYPE_NOT_ALLOWED', true) AS sign_in,
         coalesce(nullif(p.document -> 'secondFactors', 'null'::jsonb) ? 'SECOND_FACTOR_TYPE_U2F', true) AS second_factor,
         coalesce(nullif(p.document -> 'multiFactors', 'null'::jsonb) ? 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION', true) AS multi_factor,
         coalesce(directory.lifetime_seconds(p.document ->> 'mfaInitSkipLifetime'), 2592000) AS offer_seconds,
         coalesce('true' IN (p.document ->> 'forceMfa', p.document ->> 'forceMfaLocalOnly'), false) AS force_mfa
    FROM directory.organization o
    LEFT JOIN directory.organization_policy p ON p.organization_id = o.organization_id AND p.kind = 'login';

GRANT SELECT ON directory_read.passkey_policy_v1 TO signet_login;

-- Keys of Signet at a SAML provider: it decrypts assertions and signs requests by them.
ALTER TABLE directory.identity_provider ADD COLUMN assertion_encryption text NOT NULL DEFAULT 'none'
  CHECK (assertion_encryption IN ('none', 'optional', 'required'));
ALTER TABLE directory.identity_provider ADD COLUMN sign_authn_requests boolean NOT NULL DEFAULT false;
-- X.509, DER in base64, the oldest first.
ALTER TABLE directory.identity_provider ADD COLUMN own_certificates text[] NOT NULL DEFAULT '{}';
-- Their private keys, sealed under the master key.
ALTER TABLE directory.identity_provider ADD COLUMN sealed_own_keys bytea;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_own_keys
  CHECK (type = 'saml' OR assertion_encryption = 'none' AND NOT sign_authn_requests AND sealed_own_keys IS NULL);
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_own_certificates
  CHECK ((sealed_own_keys IS NULL) = (own_certificates = '{}'));

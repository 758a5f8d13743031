-- The public half of the key by which Signet authenticates at a provider (private_key_jwt); the private one is the sealed secret.
ALTER TABLE directory.identity_provider ADD COLUMN client_public_jwk jsonb;

-- The path at which a SAML provider sends assertions, where it is not that of Signet. It finds the provider.
ALTER TABLE directory.identity_provider ADD COLUMN assertion_consumer_path text;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_assertion_consumer_path
  CHECK (assertion_consumer_path IS NULL OR type = 'saml');
CREATE UNIQUE INDEX identity_provider_consumer ON directory.identity_provider (assertion_consumer_path);

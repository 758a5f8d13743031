-- Identity providers of SAML 2.0: `issuer` is the entity id of the provider, and `client_id` that of Signet there.
ALTER TABLE directory.identity_provider DROP CONSTRAINT identity_provider_type_check;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_type_check CHECK (type IN ('oidc', 'saml'));
ALTER TABLE directory.identity_provider ADD COLUMN sso_url text;
-- X.509, DER in base64: the keys that sign responses.
ALTER TABLE directory.identity_provider ADD COLUMN certificates text[] NOT NULL DEFAULT '{}';
ALTER TABLE directory.identity_provider ADD COLUMN want_assertions_signed boolean NOT NULL DEFAULT false;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_saml
  CHECK ((type = 'saml') = (sso_url IS NOT NULL) AND (type = 'saml') = (cardinality(certificates) > 0));

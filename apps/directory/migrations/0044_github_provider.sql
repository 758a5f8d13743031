-- Identity providers of GitHub: OAuth 2.0 without an ID token; `issuer` is the address of the server.
ALTER TABLE directory.identity_provider DROP CONSTRAINT identity_provider_type_check;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_type_check
  CHECK (type IN ('oidc', 'saml', 'ldap', 'github'));

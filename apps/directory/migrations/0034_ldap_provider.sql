-- Identity providers whose server verifies passwords (LDAP): `issuer` is a name of the directory, `client_id` the DN and the sealed secret the
-- password that searches bind with, `certificates` the authorities of the servers.
ALTER TABLE directory.identity_provider DROP CONSTRAINT identity_provider_type_check;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_type_check CHECK (type IN ('oidc', 'saml', 'ldap'));
-- The management API has the list.
ALTER TABLE directory.identity_provider DROP CONSTRAINT IF EXISTS identity_provider_client_authentication_check;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_client_authentication_form
  CHECK (client_authentication ~ '^[a-z_]{1,50}$');
-- URLs, in the order in which they are asked.
ALTER TABLE directory.identity_provider ADD COLUMN servers text[] NOT NULL DEFAULT '{}';
ALTER TABLE directory.identity_provider ADD COLUMN base_dn text;
ALTER TABLE directory.identity_provider ADD COLUMN object_class text;
ALTER TABLE directory.identity_provider ADD COLUMN name_attributes text[] NOT NULL DEFAULT '{}';
ALTER TABLE directory.identity_provider DROP CONSTRAINT identity_provider_saml;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_saml
  CHECK ((type = 'saml') = (sso_url IS NOT NULL)
         AND CASE type WHEN 'saml' THEN cardinality(certificates) > 0 WHEN 'oidc' THEN cardinality(certificates) = 0 ELSE true END);
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_ldap
  CHECK ((type = 'ldap') = (cardinality(servers) > 0) AND (type = 'ldap') = (base_dn IS NOT NULL)
         AND (type = 'ldap') = (object_class IS NOT NULL) AND (type = 'ldap') = (cardinality(name_attributes) > 0));

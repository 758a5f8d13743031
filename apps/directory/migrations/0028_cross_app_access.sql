-- Identity Assertion JWT Authorization Grant. Issuing: which authorization servers an application may reach for people, by their
-- issuers, each with the id of the client there and the scopes at most.
ALTER TABLE directory.application
  ADD COLUMN cross_app_access jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(cross_app_access) = 'object');
-- Whether any application does, which discovery shows.
CREATE INDEX application_cross_app_access ON directory.application (application_id) WHERE cross_app_access <> '{}';

-- Receiving: identity assertions of the issuer count for the people that the provider has links of.
ALTER TABLE directory.identity_provider
  ADD COLUMN cross_app_access boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT identity_provider_cross_app_access CHECK (type = 'oidc' OR NOT cross_app_access);
CREATE INDEX identity_provider_cross_app ON directory.identity_provider (issuer) WHERE cross_app_access;

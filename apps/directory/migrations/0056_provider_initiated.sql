-- A response of a SAML provider without a request begins a sign-in here, which ends at an application of the organization or at the own
-- account. An application that is deleted leaves its id: the sign-in ends at the own account.
ALTER TABLE directory.identity_provider ADD COLUMN provider_initiated boolean NOT NULL DEFAULT false;
ALTER TABLE directory.identity_provider ADD COLUMN provider_initiated_client_id text;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_provider_initiated
  CHECK (type = 'saml' OR NOT provider_initiated AND provider_initiated_client_id IS NULL);

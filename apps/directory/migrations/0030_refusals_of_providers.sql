-- The identity provider of a refused sign-in: its administrators find the refusals of their provider.
ALTER TABLE directory.refusal
  ADD COLUMN provider_id              text,
  ADD COLUMN provider_organization_id text;
CREATE INDEX refusal_provider ON directory.refusal (provider_id, at, refusal_id) WHERE provider_id IS NOT NULL;

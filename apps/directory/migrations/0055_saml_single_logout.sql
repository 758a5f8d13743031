-- The SingleLogoutService of a SAML provider with the binding HTTP-Redirect. rp_initiated_logout and backchannel_logout turn it on.
ALTER TABLE directory.identity_provider ADD COLUMN slo_url text;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_slo_url
  CHECK (slo_url IS NULL OR type = 'saml');

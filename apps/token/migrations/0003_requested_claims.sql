-- OIDC Core section 5.5: claims asked for by name keep their answer through every refresh; section 2: so does acr.
ALTER TABLE grants.authorization_grant
  ADD COLUMN acr             text,
  ADD COLUMN userinfo_claims text[] NOT NULL DEFAULT '{}',
  ADD COLUMN id_token_claims text[] NOT NULL DEFAULT '{}';

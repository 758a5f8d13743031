ALTER TABLE directory.application
  ADD COLUMN require_pkce boolean NOT NULL DEFAULT false,
  ADD COLUMN fapi2 boolean NOT NULL DEFAULT false;

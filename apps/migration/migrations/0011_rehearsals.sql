ALTER TABLE migration.job
  -- Of an import: how many password hashes and TOTP secrets of its document can be used, by kind.
  ADD COLUMN credentials jsonb,
  -- Wrong answers to sample sign-ins against a dry run. Each try counts before it is made.
  ADD COLUMN wrong_sign_ins integer NOT NULL DEFAULT 0;

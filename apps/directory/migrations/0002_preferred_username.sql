ALTER TABLE directory.application
  ADD COLUMN preferred_username_without_domain boolean NOT NULL DEFAULT false;

ALTER TABLE directory.application
  ADD COLUMN require_signed_requests boolean NOT NULL DEFAULT false,
  ADD COLUMN require_signed_responses boolean NOT NULL DEFAULT false;

-- The day of the latest sign-in by each identity provider, so that one that is in use is known. A replica writes a provider once a day,
-- beside the sign-ins.
CREATE TABLE directory.identity_provider_last_use (
  provider_id directory.object_id PRIMARY KEY REFERENCES directory.identity_provider ON DELETE CASCADE,
  -- Day in UTC.
  day         date NOT NULL
);

-- The picture on the button of a provider, checked as files of organizations are (docs/decisions/0058-branding-files.md).
ALTER TABLE directory.identity_provider ADD COLUMN logo bytea CHECK (octet_length(logo) BETWEEN 1 AND 32768);
-- By the content, never by what the caller says.
ALTER TABLE directory.identity_provider ADD COLUMN logo_media_type text
  CHECK (logo_media_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'));
-- In hexadecimal digits, as in the path under which the picture is served.
ALTER TABLE directory.identity_provider
  ADD COLUMN logo_sha256 text GENERATED ALWAYS AS (encode(sha256(logo), 'hex')) STORED;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_logo_media_type
  CHECK ((logo IS NULL) = (logo_media_type IS NULL));
-- Files of formats that are compressed already.
ALTER TABLE directory.identity_provider ALTER COLUMN logo SET STORAGE EXTERNAL;
CREATE INDEX identity_provider_logo ON directory.identity_provider (logo_sha256) WHERE logo IS NOT NULL;

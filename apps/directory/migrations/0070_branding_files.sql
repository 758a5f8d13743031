-- Logos, icons and the font of the sign-in and account pages.

CREATE TABLE directory.branding_file (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  kind             text NOT NULL CHECK (kind IN ('logo', 'logo-dark', 'icon', 'icon-dark', 'font')),
  -- By the content, never by what the caller says.
  media_type       text NOT NULL
    CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'font/woff2')),
  content          bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 524288),
  -- In hexadecimal digits, as in the path under which the file is served.
  sha256           text NOT NULL GENERATED ALWAYS AS (encode(sha256(content), 'hex')) STORED,
  changed_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, kind),
  CHECK ((kind = 'font') = (media_type = 'font/woff2'))
);
-- Files of formats that are compressed already.
ALTER TABLE directory.branding_file ALTER COLUMN content SET STORAGE EXTERNAL;
-- Several organizations may have the same file.
CREATE INDEX branding_file_sha256 ON directory.branding_file (sha256);

CREATE TRIGGER record_insert AFTER INSERT ON directory.branding_file REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('branding_file', 'organization_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.branding_file
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('branding_file', 'organization_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.branding_file REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('branding_file', 'organization_id');

-- The branding of each organization beside its colours, which label_colours_v1 has: its name, and its files by kind.
CREATE VIEW directory_read.branding_v1 AS
  SELECT o.organization_id,
         o.name,
         p.document ->> 'themeMode' AS theme_mode,
         coalesce(p.document ->> 'disableWatermark' = 'true', false) AS disable_watermark,
         coalesce((SELECT jsonb_object_agg(f.kind, jsonb_build_object('sha256', f.sha256, 'mediaType', f.media_type))
                     FROM directory.branding_file f
                    WHERE f.organization_id = o.organization_id), '{}') AS files
    FROM directory.organization o
    LEFT JOIN directory.organization_policy p ON p.organization_id = o.organization_id AND p.kind = 'label';
GRANT SELECT ON directory_read.branding_v1 TO signet_login;

-- The files that organizations have now, by their content.
CREATE VIEW directory_read.branding_file_v1 AS
  SELECT sha256, media_type, content FROM directory.branding_file;
GRANT SELECT ON directory_read.branding_file_v1 TO signet_login;

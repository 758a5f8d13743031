-- The files that organizations have now, and the pictures of their identity providers, by their content.
CREATE OR REPLACE VIEW directory_read.branding_file_v1 AS
  SELECT sha256, media_type, content FROM directory.branding_file
  UNION ALL
  SELECT logo_sha256, logo_media_type, logo FROM directory.identity_provider WHERE logo IS NOT NULL;

GRANT SELECT ON directory_read.branding_file_v1 TO signet_login;

-- The files that organizations have now, by their content.
CREATE OR REPLACE VIEW directory_read.branding_file_v1 AS
  SELECT sha256, media_type, content FROM directory.branding_file;

GRANT SELECT ON directory_read.branding_file_v1 TO signet_login;

-- The branding of each organization beside its colours, which label_colours_v1 has: its name, and its files by kind.
CREATE OR REPLACE VIEW directory_read.branding_v1 AS
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

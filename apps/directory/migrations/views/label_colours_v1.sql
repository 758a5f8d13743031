-- The colours of each organization that has a label policy, as it is stored: the reader leaves out those that are no
-- colours or hard to read, which may come with an import.
CREATE OR REPLACE VIEW directory_read.label_colours_v1 AS
  SELECT organization_id,
         document ->> 'primaryColor' AS primary_color,
         document ->> 'warnColor' AS warn_color,
         document ->> 'backgroundColor' AS background_color,
         document ->> 'fontColor' AS font_color,
         document ->> 'primaryColorDark' AS primary_color_dark,
         document ->> 'warnColorDark' AS warn_color_dark,
         document ->> 'backgroundColorDark' AS background_color_dark,
         document ->> 'fontColorDark' AS font_color_dark
    FROM directory.organization_policy
   WHERE kind = 'label';

GRANT SELECT ON directory_read.label_colours_v1 TO signet_login;

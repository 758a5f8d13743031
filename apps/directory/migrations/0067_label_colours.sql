-- The colours of the sign-in and account pages.

-- Whose colours the pages of a sign-in to an application of the project have; null: not stated. An older import stored it
-- sealed, in directory.carried_record.
ALTER TABLE directory.project ADD COLUMN private_labeling_setting text
  CHECK (private_labeling_setting IN ('PRIVATE_LABELING_SETTING_UNSPECIFIED',
                                      'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
                                      'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'));

CREATE OR REPLACE VIEW directory_read.project_v1 AS
  SELECT p.project_id,
         p.organization_id,
         p.name,
         o.state = 'active' AS active,
         p.project_role_assertion,
         p.project_role_check,
         p.has_project_check,
         ARRAY(SELECT r.role_key FROM directory.project_role r
                WHERE r.project_id = p.project_id ORDER BY r.role_key) AS role_keys,
         p.allowed_audiences,
         -- In the order of role_keys.
         ARRAY(SELECT r.display_name FROM directory.project_role r
                WHERE r.project_id = p.project_id ORDER BY r.role_key) AS role_display_names,
         p.private_labeling_setting
    FROM directory.project p
    JOIN directory.organization o USING (organization_id);

-- The colours of each organization that has a label policy, as it is stored: the reader leaves out those that are no
-- colours or hard to read, which may come with an import.
CREATE VIEW directory_read.label_colours_v1 AS
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

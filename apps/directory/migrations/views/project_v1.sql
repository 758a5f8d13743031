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
         p.private_labeling_setting,
         p.resource_uri,
         p.authorization_detail_types
    FROM directory.project p
    JOIN directory.organization o USING (organization_id);

GRANT SELECT ON directory_read.project_v1 TO signet_introspection, signet_login, signet_token;

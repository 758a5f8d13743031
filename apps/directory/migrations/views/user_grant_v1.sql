CREATE OR REPLACE VIEW directory_read.user_grant_v1 AS
  SELECT g.user_id,
         g.project_id,
         g.user_grant_id,
         o.organization_id,
         o.primary_domain AS organization_primary_domain,
         ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                WHERE r.user_id = g.user_id AND r.project_id = g.project_id ORDER BY r.role_key) AS role_keys
    FROM directory.user_grant g
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id;

GRANT SELECT ON directory_read.user_grant_v1 TO signet_introspection, signet_login, signet_token;

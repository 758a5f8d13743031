-- The rows of client_v1.
CREATE OR REPLACE VIEW directory_read.client_life_v1 AS
  SELECT c.client_id,
         c.project_id,
         c.state = 'active' AND o.state = 'active' AS active,
         c.token_epoch,
         o.token_epoch AS organization_token_epoch
    FROM directory.application c
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id
  UNION ALL
  SELECT u.client_id,
         NULL,
         a.state = 'active' AND o.state = 'active',
         a.token_epoch,
         o.token_epoch
    FROM directory.service_user u
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
   WHERE u.client_id IS NOT NULL
     AND EXISTS (SELECT FROM directory.service_user_secret s WHERE s.user_id = u.user_id);

GRANT SELECT ON directory_read.client_life_v1 TO signet_token;

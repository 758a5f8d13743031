-- The roles that count: those of the instance, those in the organization that the account belongs to, and accepted ones
-- in other organizations. organization_id is null for roles of the instance; of a project it is the owner.
CREATE OR REPLACE VIEW directory_read.member_v1 AS
  SELECT m.user_id,
         m.role,
         coalesce(m.organization_id, m.project_id) AS object_id,
         coalesce(m.organization_id, p.organization_id) AS organization_id
    FROM directory.member m
    JOIN directory.account a USING (user_id)
    LEFT JOIN directory.project p ON p.project_id = m.project_id
   WHERE m.accepted OR m.level = 'instance' OR coalesce(m.organization_id, p.organization_id) = a.organization_id;

GRANT SELECT ON directory_read.member_v1 TO signet_token;

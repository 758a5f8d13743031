-- What decides whether a grant may go on, and no more. The wide views make lists and objects that the planner keeps in
-- a join even if nothing reads them, and a rotation of a refresh token is such a join.
CREATE OR REPLACE VIEW directory_read.account_life_v1 AS
  SELECT a.user_id,
         a.organization_id,
         a.state = 'active' AND o.state = 'active' AS active,
         a.token_epoch,
         o.token_epoch AS organization_token_epoch
    FROM directory.account a
    JOIN directory.organization o USING (organization_id);

GRANT SELECT ON directory_read.account_life_v1 TO signet_token;

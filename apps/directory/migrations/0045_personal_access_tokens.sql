-- How long a personal access token may live that is made from now on; older ones and those of the bootstrap file keep
-- their ends.
ALTER TABLE directory.setting ADD COLUMN personal_access_token_seconds integer NOT NULL DEFAULT 31536000
  CHECK (personal_access_token_seconds BETWEEN 1 AND 34560000);

-- The administrator roles that a token is narrowed to; null: all that its owner holds.
ALTER TABLE directory.personal_access_token ADD COLUMN roles text[];

CREATE OR REPLACE VIEW directory_read.personal_access_token_v1 AS
  SELECT t.token_hash,
         t.token_id,
         t.user_id,
         a.kind,
         a.organization_id,
         t.expires_at,
         a.state = 'active' AND o.state = 'active' AS active,
         t.roles
    FROM directory.personal_access_token t
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id);

-- The hash is what a token is looked up by, and proves nothing: it stands for 256 random bits.
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

GRANT SELECT ON directory_read.personal_access_token_v1 TO signet_introspection, signet_token;

-- What the end of a session asks of an application. A statement on client_v1 locks a dozen more tables and indexes, and
-- PostgreSQL has room for few such transactions at once.
CREATE OR REPLACE VIEW directory_read.client_logout_v1 AS
  SELECT c.client_id,
         c.state = 'active' AND o.state = 'active' AS active,
         c.refresh_tokens_survive_logout,
         c.back_channel_logout_uri,
         c.id_token_signing_alg
    FROM directory.application c
    JOIN directory.project p USING (project_id)
    JOIN directory.organization o ON o.organization_id = p.organization_id;

GRANT SELECT ON directory_read.client_logout_v1 TO signet_token;

-- The audiences that applications have asked for in grants that are still alive: `signet doctor` names those that the
-- rules for audiences refuse. A scan of the live grants, for an administrator's command and no request of a client.
CREATE OR REPLACE VIEW grants_read.requested_audience_v1 AS
  SELECT DISTINCT g.client_id,
         CASE WHEN named.parts[1] = 'zitadel' AND named.parts[2] = 'zitadel' THEN 'signet'
              ELSE named.parts[2] END AS project_id
    FROM grants.authorization_grant g
   CROSS JOIN unnest(g.scopes) AS scope
   CROSS JOIN LATERAL regexp_match(scope, '^urn:(service|zitadel):iam:org:project:id:(.+):aud$') AS named (parts)
   WHERE g.ended_at IS NULL AND g.absolute_end > now() AND named.parts IS NOT NULL;

GRANT SELECT ON grants_read.requested_audience_v1 TO signet_directory;

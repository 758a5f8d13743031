-- The verified domains by which a login name leads to the identity providers of an organization.
CREATE OR REPLACE VIEW directory_read.login_domain_v1 AS
  SELECT d.domain, d.organization_id
    FROM directory.organization_domain d
    JOIN directory.organization o USING (organization_id)
    JOIN directory.effective_policy_v1 p USING (organization_id)
   WHERE d.is_verified AND o.state = 'active' AND p.allows_domain_discovery;

GRANT SELECT ON directory_read.login_domain_v1 TO signet_login;

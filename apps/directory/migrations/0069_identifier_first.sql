-- Whether the sign-in page of an organization asks for the login name first, by its login policy.
CREATE VIEW directory_read.sign_in_page_v1 AS
  SELECT o.organization_id, coalesce(p.document ->> 'identifierFirst' = 'true', false) AS identifier_first
    FROM directory.organization o
    LEFT JOIN directory.organization_policy p ON p.organization_id = o.organization_id AND p.kind = 'login';
GRANT SELECT ON directory_read.sign_in_page_v1 TO signet_login;

-- Whether the sign-in page of an organization asks for the login name first, by its login policy.
CREATE OR REPLACE VIEW directory_read.sign_in_page_v1 AS
  SELECT organization_id, identifier_first FROM directory.effective_policy_v1;

GRANT SELECT ON directory_read.sign_in_page_v1 TO signet_login;

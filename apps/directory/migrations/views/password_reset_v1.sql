CREATE OR REPLACE VIEW directory_read.password_reset_v1 AS
  SELECT p.organization_id,
         p.allows_password,
         (s.sends_mail OR smtp.organization_id IS NOT NULL) AND NOT p.hides_password_reset AND p.allows_password AS offered
    FROM directory.effective_policy_v1 p
   CROSS JOIN directory.setting s
    LEFT JOIN directory.organization_smtp smtp USING (organization_id);

GRANT SELECT ON directory_read.password_reset_v1 TO signet_login;

-- The links at the foot of the sign-in and account pages of each organization that has a privacy policy, as they are stored:
-- the reader leaves out those that break a rule, which may come with an import.
CREATE OR REPLACE VIEW directory_read.privacy_links_v1 AS
  SELECT organization_id,
         document ->> 'tosLink' AS tos_link,
         document ->> 'privacyLink' AS privacy_link,
         document ->> 'helpLink' AS help_link,
         document ->> 'docsLink' AS docs_link,
         document ->> 'customLink' AS custom_link,
         document ->> 'supportEmail' AS support_email,
         document ->> 'customLinkText' AS custom_link_text
    FROM directory.organization_policy
   WHERE kind = 'privacy';

GRANT SELECT ON directory_read.privacy_links_v1 TO signet_login;

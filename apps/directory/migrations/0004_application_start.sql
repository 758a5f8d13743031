ALTER TABLE directory.application
  -- Where people find the application, and where a sign-in begins at it (OIDC Core section 4); pages link there.
  ADD COLUMN home_page text,
  ADD COLUMN initiate_login_uri text;

ALTER TABLE directory.mail_delivery
  -- The application to which the page of a link leads on.
  ADD COLUMN client_id text,
  -- The account whose call asked for an invitation, which its message and page name.
  ADD COLUMN asked_by_user directory.object_id;

-- The people whom identity assertions of these providers are about. `token_epoch` is the one under which the link was there: its end
-- raises the epoch.
CREATE OR REPLACE VIEW directory_read.provider_link_v1 AS
  SELECT l.provider_id, l.subject, l.user_id, l.last_used_at, a.token_epoch
    FROM directory.identity_link l
    JOIN directory.identity_provider i USING (provider_id)
    JOIN directory.account a USING (user_id)
   WHERE i.cross_app_access AND l.issuer = i.issuer;

GRANT SELECT ON directory_read.provider_link_v1 TO signet_token;

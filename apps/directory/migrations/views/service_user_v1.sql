-- How a service user that signs assertions wants its access tokens, with or without a secret.
CREATE OR REPLACE VIEW directory_read.service_user_v1 AS
  SELECT user_id,
         client_id,
         access_token_type,
         access_token_signing_alg
    FROM directory.service_user;

GRANT SELECT ON directory_read.service_user_v1 TO signet_token;

ALTER TABLE directory.application
  -- The name in the certificate of a client with tls_client_auth (RFC 8705 section 2.1.2), of which it has one.
  ADD COLUMN tls_client_auth_subject_dn text,
  ADD COLUMN tls_client_auth_san_dns text,
  ADD COLUMN tls_client_auth_san_uri text,
  ADD COLUMN tls_client_auth_san_ip text,
  ADD COLUMN tls_client_auth_san_email text,
  DROP CONSTRAINT application_auth_method_check,
  ADD CONSTRAINT application_auth_method_check CHECK (
    auth_method IN ('client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt', 'tls_client_auth',
                    'self_signed_tls_client_auth'));

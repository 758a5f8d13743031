ALTER TABLE directory.application
  -- Every access token is bound to the certificate of the connection (RFC 8705 section 3.4).
  ADD COLUMN tls_client_certificate_bound_access_tokens boolean NOT NULL DEFAULT false;

-- A client_id may be the URL of a document about the client. Where ids come in, no other one may hold `:` or `/`.
ALTER DOMAIN directory.object_id DROP CONSTRAINT object_id_syntax;
ALTER DOMAIN directory.object_id ADD CONSTRAINT object_id_syntax
  CHECK (length(value) BETWEEN 1 AND 200 AND value !~ '[^A-Za-z0-9._~@+|:/-]') NOT VALID;

-- Users keep the ids of the product that they come from, such as auth0|5f7c. The same bound and form as before, and |;
-- which other ids may not hold it is checked where they come in.
ALTER DOMAIN directory.object_id DROP CONSTRAINT object_id_syntax;
ALTER DOMAIN directory.object_id ADD CONSTRAINT object_id_syntax
  CHECK (length(value) BETWEEN 1 AND 200 AND value !~ '[^A-Za-z0-9._~@+|-]') NOT VALID;

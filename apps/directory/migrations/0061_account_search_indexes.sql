-- outside a transaction: an index of a million users takes a minute, in which they are written
DROP INDEX CONCURRENTLY IF EXISTS directory.account_fragments;
CREATE INDEX CONCURRENTLY account_fragments ON directory.account
  USING gin (directory.account_fragments(organization_id, user_name_key, display_name, email_key));
-- ANALYZE would make the fragments of thousands of users, and the planner take a sequential scan for frequent ones.
ALTER INDEX directory.account_fragments ALTER COLUMN 1 SET STATISTICS 0;
-- Lists of the users of an address, verified or not.
DROP INDEX CONCURRENTLY IF EXISTS directory.account_email;
CREATE INDEX CONCURRENTLY account_email ON directory.account (email_key);
DROP INDEX CONCURRENTLY IF EXISTS directory.account_verified_email;

CREATE OR REPLACE VIEW grants_read.generation_v1 AS SELECT value FROM grants.generation;

GRANT SELECT ON grants_read.generation_v1 TO signet_directory, signet_introspection, signet_keys, signet_login;

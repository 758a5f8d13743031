-- The URI by which requests name the API of a project (RFC 8707). Two projects with one URI would each get the tokens of the other.
ALTER TABLE directory.project ADD COLUMN resource_uri text;

CREATE UNIQUE INDEX project_resource_uri ON directory.project (resource_uri);

-- The job of the import that created an organization: until its end the document of this import writes as an owner of it.
ALTER TABLE directory.organization ADD COLUMN import_job_id text;

-- The sign-in page of an organization offers a reset by e-mail when it has a mail server; `login` caches that.
CREATE TRIGGER record_insert AFTER INSERT ON directory.organization_smtp REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('organization', 'organization_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.organization_smtp REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('organization', 'organization_id');

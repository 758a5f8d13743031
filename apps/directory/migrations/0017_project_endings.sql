-- Deleting a project ends its applications; whoever repeats the deletion finds what it ended.
ALTER TABLE directory.retired_epoch ADD COLUMN project_id text;
CREATE INDEX retired_epoch_project ON directory.retired_epoch (project_id) WHERE project_id IS NOT NULL;

-- Lists of an organization and of a project go by id.
DROP INDEX directory.project_organization;
CREATE INDEX project_organization ON directory.project (organization_id, project_id);
DROP INDEX directory.application_project;
CREATE INDEX application_project ON directory.application (project_id, application_id);

-- Argument: a query for the columns of retired_epoch, the project included, over the rows of the statement.
CREATE FUNCTION directory.retire_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id, project_id) '
          || TG_ARGV[0];
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER retire_epochs_delete AFTER DELETE ON directory.application
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_applications(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id, o.project_id
       FROM old_rows o LEFT JOIN directory.project p USING (project_id)');

CREATE OR REPLACE TRIGGER retire_epochs_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_applications(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id, o.project_id
       FROM old_rows o JOIN new_rows n USING (application_id) LEFT JOIN directory.project p ON p.project_id = o.project_id
      WHERE o.client_id <> n.client_id');

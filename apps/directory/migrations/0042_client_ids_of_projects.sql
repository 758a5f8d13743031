-- Client ids and ids of projects stand together in `aud`, and an API takes a token that names its project for one of its
-- own. So no client is called like a project of another organization, in whichever order the two are made.

CREATE FUNCTION directory.is_foreign_project(id text, organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.project p WHERE p.project_id = id AND p.organization_id <> organization)
$$;

-- Argument: a query for id and organization of the clients or projects that the statement made, and for what stands in
-- their way.
CREATE FUNCTION directory.refuse_foreign_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  IF coalesce(current_setting('signet.placeholders', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  EXECUTE TG_ARGV[0] || ' LIMIT 1' INTO refused;
  IF refused IS NOT NULL THEN
    RAISE unique_violation USING CONSTRAINT = 'foreign_name_rule', TABLE = TG_TABLE_NAME,
      MESSAGE = format('the id %s is the id of a project and the client id of a client in another organization', refused);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER refuse_foreign_names AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.project_id FROM new_rows n
      WHERE EXISTS (SELECT FROM directory.application a JOIN directory.project p USING (project_id)
                     WHERE a.client_id = n.project_id AND p.organization_id <> n.organization_id)
         OR EXISTS (SELECT FROM directory.service_user s JOIN directory.account a USING (user_id)
                     WHERE s.client_id = n.project_id AND a.organization_id <> n.organization_id)');

CREATE TRIGGER refuse_foreign_names_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN directory.project p USING (project_id)
      WHERE directory.is_foreign_project(n.client_id, p.organization_id)');
CREATE TRIGGER refuse_foreign_names_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN old_rows o USING (application_id)
       JOIN directory.project p ON p.project_id = n.project_id
      WHERE n.client_id <> o.client_id AND directory.is_foreign_project(n.client_id, p.organization_id)');

CREATE TRIGGER refuse_foreign_names_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN directory.account a USING (user_id)
      WHERE directory.is_foreign_project(n.client_id, a.organization_id)');
CREATE TRIGGER refuse_foreign_names_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN old_rows o USING (user_id) JOIN directory.account a USING (user_id)
      WHERE n.client_id IS DISTINCT FROM o.client_id
        AND directory.is_foreign_project(n.client_id, a.organization_id)');

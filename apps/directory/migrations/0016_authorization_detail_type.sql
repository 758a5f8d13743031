-- The types of authorization details that the API of a project defines (RFC 9396), by their names.
ALTER TABLE directory.project
  ADD COLUMN authorization_detail_types jsonb NOT NULL DEFAULT '{}'
    CHECK (jsonb_typeof(authorization_detail_types) = 'object');

-- The names of those types, written by the trigger below. Of two projects with one type each would get the details of the other.
CREATE TABLE directory.authorization_detail_type (
  type        text PRIMARY KEY,
  project_id  directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE
);
CREATE INDEX authorization_detail_type_project ON directory.authorization_detail_type (project_id);

CREATE FUNCTION directory.name_detail_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.authorization_detail_type
   WHERE project_id = NEW.project_id AND NOT NEW.authorization_detail_types ? type;
  INSERT INTO directory.authorization_detail_type (type, project_id)
  SELECT name, NEW.project_id FROM jsonb_object_keys(NEW.authorization_detail_types) AS name
   WHERE NOT EXISTS (SELECT FROM directory.authorization_detail_type t
                      WHERE t.type = name AND t.project_id = NEW.project_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER name_new_detail_types AFTER INSERT ON directory.project
  FOR EACH ROW WHEN (NEW.authorization_detail_types <> '{}') EXECUTE FUNCTION directory.name_detail_types();
CREATE TRIGGER name_changed_detail_types AFTER UPDATE OF authorization_detail_types ON directory.project
  FOR EACH ROW WHEN (NEW.authorization_detail_types <> OLD.authorization_detail_types)
  EXECUTE FUNCTION directory.name_detail_types();

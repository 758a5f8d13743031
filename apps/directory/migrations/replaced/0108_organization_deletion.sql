-- An organization with more rows than one request may delete gets the state `deleting`, by which everything of it ends at
-- once, and a job of the directory deletes its rows in batches, its own row last.
ALTER TABLE directory.organization
  DROP CONSTRAINT organization_state_check,
  ADD CONSTRAINT organization_state_check CHECK (state IN ('active', 'inactive', 'deleting'));

CREATE INDEX organization_deleting ON directory.organization (organization_id) WHERE state = 'deleting';

-- A deletion is never taken back: a part of the rows is gone.
CREATE FUNCTION directory.keep_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING CONSTRAINT = 'organization_deleting', TABLE = 'organization',
    MESSAGE = format('the organization %s is being deleted', OLD.organization_id);
END $$;
CREATE TRIGGER keep_deleting BEFORE UPDATE OF state ON directory.organization FOR EACH ROW
  WHEN (OLD.state = 'deleting' AND NEW.state <> 'deleting') EXECUTE FUNCTION directory.keep_deleting();

-- A person or a project that is added meanwhile would be deleted a moment later, although its creation was confirmed.
CREATE FUNCTION directory.refuse_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  SELECT o.organization_id INTO refused
    FROM new_rows n JOIN directory.organization o USING (organization_id) WHERE o.state = 'deleting' LIMIT 1;
  IF refused IS NOT NULL THEN
    RAISE check_violation USING CONSTRAINT = 'organization_deleting', TABLE = 'organization',
      MESSAGE = format('the organization %s is being deleted', refused);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_deleting AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_deleting();
CREATE TRIGGER refuse_deleting AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_deleting();

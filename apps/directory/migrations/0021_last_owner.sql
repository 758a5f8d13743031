-- Somebody can always administer the instance: whatever takes the last IAM_OWNER away is refused, whoever writes it.

-- What counts is an active account of an active organization with the role. A locked account does not. What somebody
-- signs in with is not looked at: passwords are forgotten and tokens expire without anybody's doing.
CREATE FUNCTION directory.keep_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'account' THEN
    IF NOT EXISTS (SELECT FROM directory.member m
                    WHERE m.user_id = NEW.user_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME = 'organization' THEN
    IF NOT EXISTS (SELECT FROM directory.member m JOIN directory.account a USING (user_id)
                    WHERE a.organization_id = NEW.organization_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  END IF;
  -- Of two that take an owner away each would see the other's. The lock is a statement of its own: the next one then
  -- reads what was committed while it waited.
  PERFORM pg_advisory_xact_lock(7331021);
  IF NOT EXISTS (SELECT FROM directory.member m
                   JOIN directory.account a USING (user_id)
                   JOIN directory.organization o ON o.organization_id = a.organization_id
                  WHERE m.level = 'instance' AND m.role = 'IAM_OWNER' AND a.state = 'active' AND o.state = 'active') THEN
    RAISE EXCEPTION 'nobody would be left to administer the instance; give IAM_OWNER to another active user first'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'last_iam_owner';
  END IF;
  RETURN NULL;
END $$;

-- Deferrable for those who write a role anew by taking it away first.
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE ON directory.member
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.level = 'instance' AND OLD.role = 'IAM_OWNER') EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF state ON directory.account
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.state = 'active' AND NEW.state <> 'active') EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF state ON directory.organization
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.state = 'active' AND NEW.state <> 'active') EXECUTE FUNCTION directory.keep_instance_owner();

-- A new owner waits for whoever ends its account or organization at the same time, and they for it: otherwise neither
-- would see the other, and the new owner would be counted although it is none.
CREATE FUNCTION directory.hold_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM directory.account a JOIN directory.organization o USING (organization_id)
    WHERE a.user_id = NEW.user_id FOR SHARE;
  RETURN NEW;
END $$;
CREATE TRIGGER hold_instance_owner BEFORE INSERT ON directory.member FOR EACH ROW
  WHEN (NEW.level = 'instance' AND NEW.role = 'IAM_OWNER') EXECUTE FUNCTION directory.hold_instance_owner();

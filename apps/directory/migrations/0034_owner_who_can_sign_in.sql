-- The last IAM_OWNER who can sign in stays: what takes away its last credential is refused as well.

-- Whether there is something that the account can sign in with now. The second factor is not looked at: it can be taken
-- away, and an account without one can enrol it.
CREATE FUNCTION directory.has_credential(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.account_password WHERE user_id = account)
      OR EXISTS (SELECT FROM directory.personal_access_token
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.machine_key
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.service_user_secret s JOIN directory.service_user u USING (user_id)
                  WHERE user_id = account AND u.client_id IS NOT NULL
                    AND (s.expires_at IS NULL OR s.expires_at > now()))
$$;

CREATE OR REPLACE FUNCTION directory.keep_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'organization' THEN
    IF NOT EXISTS (SELECT FROM directory.member m JOIN directory.account a USING (user_id)
                    WHERE a.organization_id = NEW.organization_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME <> 'member' THEN
    IF TG_TABLE_NAME <> 'account' THEN
      -- The account may be getting the role right now, from a transaction that counts the credential.
      PERFORM FROM directory.account WHERE user_id = OLD.user_id FOR NO KEY UPDATE;
    END IF;
    IF NOT EXISTS (SELECT FROM directory.member m
                    WHERE m.user_id = OLD.user_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  END IF;
  -- Of two that take an owner away each would see the other's. The lock is a statement of its own: the next one then
  -- reads what was committed while it waited.
  PERFORM pg_advisory_xact_lock(7331021);
  IF NOT EXISTS (SELECT FROM directory.member m
                   JOIN directory.account a USING (user_id)
                   JOIN directory.organization o ON o.organization_id = a.organization_id
                  WHERE m.level = 'instance' AND m.role = 'IAM_OWNER' AND a.state = 'active' AND o.state = 'active'
                    AND directory.has_credential(a.user_id)) THEN
    RAISE EXCEPTION 'no IAM_OWNER who can sign in would be left; give IAM_OWNER to another active user first'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'last_iam_owner';
  END IF;
  RETURN NULL;
END $$;

-- The name is that of the other triggers, which are deferred by it.
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE ON directory.account_password
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.personal_access_token
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.machine_key
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.service_user_secret
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF client_id ON directory.service_user
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.client_id IS NOT NULL AND NEW.client_id IS NULL) EXECUTE FUNCTION directory.keep_instance_owner();

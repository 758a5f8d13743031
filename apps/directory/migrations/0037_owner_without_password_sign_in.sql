-- A password counts as a credential of an IAM_OWNER only where the login policy lets people sign in with one, so turning
-- that off is refused where it would take the last IAM_OWNER who can sign in away.

CREATE FUNCTION directory.has_credential_beside_password(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.personal_access_token
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.machine_key
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.service_user_secret s JOIN directory.service_user u USING (user_id)
                  WHERE user_id = account AND u.client_id IS NOT NULL
                    AND (s.expires_at IS NULL OR s.expires_at > now()))
$$;

CREATE OR REPLACE FUNCTION directory.has_credential(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.account_password JOIN directory.account a USING (user_id)
                   LEFT JOIN directory.organization_policy login
                          ON login.organization_id = a.organization_id AND login.kind = 'login'
                  WHERE user_id = account
                    AND coalesce(login.document ->> 'allowUsernamePassword' <> 'false', true))
      OR directory.has_credential_beside_password(account)
$$;

-- Whether the organization can turn sign-in with a password off: an IAM_OWNER who can sign in is left, or it has none.
CREATE FUNCTION directory.can_forbid_passwords(organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM directory.member m JOIN directory.account a USING (user_id)
                      WHERE a.organization_id = organization AND m.level = 'instance' AND m.role = 'IAM_OWNER')
      OR EXISTS (SELECT FROM directory.member m
                   JOIN directory.account a USING (user_id)
                   JOIN directory.organization o ON o.organization_id = a.organization_id
                  WHERE m.level = 'instance' AND m.role = 'IAM_OWNER' AND a.state = 'active' AND o.state = 'active'
                    AND CASE WHEN a.organization_id = organization
                             THEN directory.has_credential_beside_password(a.user_id)
                             ELSE directory.has_credential(a.user_id) END)
$$;

CREATE OR REPLACE FUNCTION directory.keep_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME IN ('organization', 'organization_policy') THEN
    IF TG_TABLE_NAME = 'organization_policy' THEN
      -- An account of the organization may be getting the role right now, from a transaction that counts its password.
      PERFORM FROM directory.organization WHERE organization_id = NEW.organization_id FOR NO KEY UPDATE;
    END IF;
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
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER INSERT OR UPDATE ON directory.organization_policy
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (NEW.kind = 'login' AND NEW.document ->> 'allowUsernamePassword' = 'false')
  EXECUTE FUNCTION directory.keep_instance_owner();

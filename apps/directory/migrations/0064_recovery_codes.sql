-- Recovery codes, and trusted browsers, which are not asked for a second factor for some time.

-- Each code stands in once for the second factor of a person; a used one is deleted.
CREATE TABLE directory.recovery_code (
  user_id    directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  -- SHA-256: the code has 120 random bits.
  code_hash  bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  PRIMARY KEY (user_id, code_hash)
);

-- A random value that the cookies of these browsers depend on. Deleting it ends all of them, and no later value equals it.
CREATE TABLE directory.browser_trust (
  user_id  directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  secret   bytea NOT NULL CHECK (octet_length(secret) = 32)
);

-- A statement for all new factors, because an import adds thousands at once.
CREATE FUNCTION directory.end_browser_trust() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.browser_trust r USING added WHERE r.user_id = added.user_id;
  RETURN NULL;
END $$;

CREATE TRIGGER account_totp_added AFTER INSERT ON directory.account_totp
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION directory.end_browser_trust();
CREATE TRIGGER passkey_added AFTER INSERT ON directory.passkey
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION directory.end_browser_trust();

-- For each row, because deleting an account fires it only for the factors that there are.
CREATE FUNCTION directory.end_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.browser_trust WHERE user_id = OLD.user_id;
  IF TG_OP = 'DELETE' THEN
    -- Of two factors that are deleted at once, the later transaction sees that none is left.
    PERFORM FROM directory.account WHERE user_id = OLD.user_id FOR NO KEY UPDATE;
    DELETE FROM directory.recovery_code
     WHERE user_id = OLD.user_id
       AND NOT EXISTS (SELECT FROM directory.account_totp WHERE user_id = OLD.user_id)
       AND NOT EXISTS (SELECT FROM directory.passkey WHERE user_id = OLD.user_id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER account_totp_removed AFTER DELETE OR UPDATE OF sealed_seed ON directory.account_totp
  FOR EACH ROW EXECUTE FUNCTION directory.end_factor();
CREATE TRIGGER passkey_removed AFTER DELETE OR UPDATE OF cloned_at ON directory.passkey
  FOR EACH ROW EXECUTE FUNCTION directory.end_factor();

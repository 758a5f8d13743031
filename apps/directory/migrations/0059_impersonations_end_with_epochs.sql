-- A sign-out everywhere, a deactivation and the end of an organization end the impersonations of each person whom they concern, whose
-- applications hear of it by the row. Sessions and tokens end by the epoch itself.
CREATE FUNCTION directory.end_impersonations_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.impersonation WHERE administrator_id = NEW.user_id OR user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER end_impersonations AFTER UPDATE ON directory.account
  FOR EACH ROW WHEN (NEW.token_epoch > OLD.token_epoch)
  EXECUTE FUNCTION directory.end_impersonations_of_account();

CREATE FUNCTION directory.end_impersonations_of_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.impersonation i
   USING directory.account a
   WHERE a.organization_id = NEW.organization_id AND a.user_id IN (i.administrator_id, i.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER end_impersonations AFTER UPDATE ON directory.organization
  FOR EACH ROW WHEN (NEW.token_epoch > OLD.token_epoch)
  EXECUTE FUNCTION directory.end_impersonations_of_organization();

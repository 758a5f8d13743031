-- The end of a personal access token is known by the ids of its user and itself, for a day: a token that was made
-- meanwhile with both would be dead.
CREATE FUNCTION directory.refuse_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM directory.ending_change
              WHERE kind = 'p' AND id = NEW.user_id || ' ' || NEW.token_id) THEN
    RAISE unique_violation USING CONSTRAINT = 'personal_access_token_ended', TABLE = 'personal_access_token',
      MESSAGE = format('the id %s belonged to a token of this user that was deleted in the last 25 hours', NEW.token_id);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refuse_ended BEFORE INSERT ON directory.personal_access_token
  FOR EACH ROW EXECUTE FUNCTION directory.refuse_ended();

-- Deletes the tokens with these ids, each the id of the user, a space and the id of the token; returns how many. Of the
-- ids of a day only those of tokens that exist cost a statement each: a round of directory has 55 seconds.
CREATE OR REPLACE FUNCTION directory.end_personal_access_tokens(ids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deleted bigint := 0;
  ended record;
BEGIN
  FOR ended IN
    SELECT t.user_id, t.token_id
      FROM (SELECT DISTINCT split_part(id, ' ', 1) AS user_id, split_part(id, ' ', 2) AS token_id FROM unnest(ids) AS id) AS e
      JOIN directory.personal_access_token t USING (user_id, token_id)
     ORDER BY t.user_id, t.token_id
  LOOP
    BEGIN
      DELETE FROM directory.personal_access_token
       WHERE user_id = ended.user_id AND token_id = ended.token_id;
      IF FOUND THEN deleted := deleted + 1; END IF;
    EXCEPTION WHEN check_violation THEN
      RAISE WARNING 'a personal access token that was ended stays: it is the last credential of the last IAM_OWNER';
    END;
  END LOOP;
  RETURN deleted;
END $$;

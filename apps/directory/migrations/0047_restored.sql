-- Raises epochs to those that grants_read.revocation_v1 publishes, and deletes personal access tokens whose end stands
-- there: after a fail-over to a standby that lacked the last commits, people and applications would otherwise get tokens
-- of an ended epoch for ever, and a deleted personal access token would work again. Looks at the rows that the snapshot
-- `seen` did not contain, and returns how many objects it changed. The token that is the last credential of the last
-- IAM_OWNER stays.
CREATE FUNCTION directory.follow_endings(seen pg_snapshot) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  changed bigint;
  token record;
BEGIN
  WITH published AS MATERIALIZED (
    SELECT kind, id, max(value) AS epoch
      FROM ((SELECT kind, id, value FROM grants_read.revocation_v1 WHERE xid >= pg_snapshot_xmax(seen))
            UNION ALL
            (SELECT kind, id, value FROM grants_read.revocation_v1
              WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen))))) AS unseen
     WHERE kind IN ('u', 'c', 'o') GROUP BY kind, id
  ), accounts AS (
    UPDATE directory.account a SET token_epoch = risen.epoch
      FROM (SELECT user_id, max(epoch) AS epoch
              FROM (SELECT id AS user_id, epoch FROM published WHERE kind = 'u'
                    UNION ALL
                    SELECT s.user_id, p.epoch FROM published p
                      JOIN directory.service_user s ON s.client_id = p.id WHERE p.kind = 'c') AS of_users
             GROUP BY user_id) AS risen
     WHERE a.user_id = risen.user_id AND a.token_epoch < risen.epoch RETURNING 1
  ), applications AS (
    UPDATE directory.application a SET token_epoch = p.epoch FROM published p
     WHERE p.kind = 'c' AND a.client_id = p.id AND a.token_epoch < p.epoch RETURNING 1
  ), organizations AS (
    UPDATE directory.organization o SET token_epoch = p.epoch FROM published p
     WHERE p.kind = 'o' AND o.organization_id = p.id AND o.token_epoch < p.epoch RETURNING 1
  )
  SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM applications) + (SELECT count(*) FROM organizations)
    INTO changed;
  RETURN changed + directory.end_personal_access_tokens(ARRAY(
    SELECT ended.id
      FROM (SELECT id, until FROM grants_read.revocation_v1 WHERE kind = 'p' AND xid >= pg_snapshot_xmax(seen)
             UNION
            SELECT id, until FROM grants_read.revocation_v1
             WHERE kind = 'p' AND xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen)))) AS ended
      JOIN directory.personal_access_token t
        ON t.user_id = split_part(ended.id, ' ', 1) AND t.token_id = split_part(ended.id, ' ', 2)
       -- An ending is kept for so long: a token with the id of an ended one that was made since is not meant.
       AND t.created_at < ended.until - interval '86460 seconds'));
END $$;

-- Deletes the tokens with these ids, each the id of the user, a space and the id of the token; returns how many. Of the
-- ids of a day only those of tokens that exist cost a statement each: a round of directory has 55 seconds.
CREATE FUNCTION directory.end_personal_access_tokens(ids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- What `signet-migrate restored` does here while no service runs. The rows of both feeds get the current transaction:
-- another cluster may count transactions from a lower number.
CREATE FUNCTION directory.restored(ended_tokens text[]) RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.change SET xid = pg_current_xact_id();
  UPDATE directory.ending_change SET xid = pg_current_xact_id();
  part := 'personal access tokens that the log says were ended';
  number := directory.end_personal_access_tokens(ended_tokens);
  RETURN NEXT;
END $$;

-- What may have been revoked since a backup and is valid in it: for the administrator who restores it.
CREATE FUNCTION directory.live_secrets() RETURNS TABLE (kind text, id text, owner text, organization_id text,
                                                        created_at timestamptz, expires_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT 'personal access token', t.token_id::text, t.user_id::text, a.organization_id::text, t.created_at, t.expires_at
    FROM directory.personal_access_token t JOIN directory.account a USING (user_id)
   WHERE t.expires_at IS NULL OR t.expires_at > now()
   UNION ALL
  SELECT 'secret of a service user', s.secret_id::text, s.user_id::text, a.organization_id::text, s.created_at,
         s.expires_at
    FROM directory.service_user_secret s JOIN directory.account a USING (user_id)
   WHERE s.expires_at IS NULL OR s.expires_at > now()
   UNION ALL
  SELECT 'secret of an application', s.secret_id::text, c.client_id::text, p.organization_id::text, s.created_at,
         s.expires_at
    FROM directory.application_secret s JOIN directory.application c USING (application_id)
    JOIN directory.project p USING (project_id)
   WHERE s.expires_at IS NULL OR s.expires_at > now()
   ORDER BY 1, 4, 3, 5
$$;

-- contract: replicas of the version before stopped for migration 0015

-- In which weeks the rows lie that end with a session, a user, a grant or a token, so that an ending names these weeks
-- and opens no other partition: 62 of them, with their indexes, are more locks than a default PostgreSQL has for a few
-- endings at once.

CREATE TABLE grants.week_index (
  -- s session, u user, g grant, t access token, p personal access token
  kind      text NOT NULL CHECK (kind IN ('s', 'u', 'g', 't', 'p')),
  id        text NOT NULL,
  -- The table with rows of that week: grants of the session or user, grants that were exchanged for it, applications
  -- that took part in the session or in one of the user.
  relation  text NOT NULL CHECK (relation IN ('authorization_grant', 'grant_origin', 'session_client')),
  end_week  integer NOT NULL,
  PRIMARY KEY (kind, id, relation, end_week)
) PARTITION BY RANGE (end_week);

-- Of 26 weeks each, because an ending searches all of them; one is dropped when its last week is over.
DO $$
DECLARE
  this_week integer := floor(extract(epoch FROM now()) / 604800);
BEGIN
  FOR slot IN (this_week - 1) / 26 .. (this_week + 60) / 26 LOOP
    EXECUTE format('CREATE TABLE grants.%I PARTITION OF grants.week_index FOR VALUES FROM (%s) TO (%s)',
                   'week_index_' || slot, slot * 26, (slot + 1) * 26);
  END LOOP;

  INSERT INTO grants.week_index (kind, id, relation, end_week)
  SELECT kind, id, relation, end_week FROM (
    SELECT 's' AS kind, sid AS id, 'authorization_grant' AS relation, end_week FROM grants.authorization_grant
     WHERE sid IS NOT NULL AND ended_at IS NULL
    UNION SELECT 'u', user_id, 'authorization_grant', end_week FROM grants.authorization_grant WHERE ended_at IS NULL
    UNION SELECT kind, id, 'grant_origin', end_week FROM grants.grant_origin WHERE kind IN ('s', 'g', 't', 'p')
    UNION SELECT 's', sid, 'session_client', end_week FROM grants.session_client WHERE ended_at IS NULL
    UNION SELECT 'u', user_id, 'session_client', end_week FROM grants.session_client WHERE ended_at IS NULL) AS held
   WHERE end_week >= this_week - 1 AND end_week <= this_week + 60;
END $$;

-- The service itself creates and drops the partitions of the audit trail: a function cannot DETACH CONCURRENTLY.
DROP FUNCTION grants.settle_audit_partitions(timestamptz);

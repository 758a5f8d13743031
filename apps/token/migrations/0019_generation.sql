-- After a restore from a backup the tables lack every ending since the backup. So each restore raises the generation of
-- the database, and grants of a lower one are dead.
ALTER TABLE grants.authorization_grant ADD COLUMN generation bigint NOT NULL DEFAULT 0;

-- What `signet-migrate restored` does here while no service runs. The rows of the feed get the current transaction:
-- another cluster may count transactions from a lower number.
CREATE FUNCTION grants.restored(moment timestamptz, revoked_keys text[], log_generation bigint) RETURNS TABLE (part text, number bigint)
LANGUAGE plpgsql AS $$
BEGIN
  part := 'generation';
  -- Above that of the log too: services refuse to start beside a log of a higher one.
  UPDATE grants.generation
     SET value = greatest(value + 1, log_generation + 1, floor(extract(epoch FROM moment))::bigint)
    RETURNING value INTO number;
  RETURN NEXT;
  part := 'endings read again';
  UPDATE grants.revocation SET xid = pg_current_xact_id();
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'revoked keys found in the log';
  UPDATE grants.revoked_key SET xid = pg_current_xact_id();
  INSERT INTO grants.revoked_key (kid) SELECT unnest(revoked_keys) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'back-channel logouts sent again';
  UPDATE grants.logout_delivery SET due_at = moment WHERE due_at > moment;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
END $$;

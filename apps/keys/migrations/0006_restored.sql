-- What `signet-migrate restored` does here while no service runs: no key of the backup seals or signs any more. Rings
-- that only services of the suite hold are emptied, and the service makes new keys at its start. A signing key retires
-- and the announced one takes over: verifiers outside may hold both.
CREATE FUNCTION keys.restored(moment timestamptz) RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  part := 'sealing and MAC keys deleted';
  DELETE FROM keys.ring_key WHERE ring <> 'signing';
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'signing keys retired';
  UPDATE keys.ring_key SET retire_at = greatest(moment, active_at)
   WHERE ring = 'signing' AND state = 'active' AND retire_at > moment;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  UPDATE keys.ring_revision SET revision = revision + 1;
END $$;

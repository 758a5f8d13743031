-- What `signet-migrate restored` does here while no service runs: claims of workers that no longer exist end at once.
CREATE FUNCTION migration.restored() RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM migration.worker;
  part := 'exports and imports continued';
  UPDATE migration.job SET dispatched_at = NULL WHERE ended_at IS NULL AND accepted_at IS NOT NULL;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
END $$;

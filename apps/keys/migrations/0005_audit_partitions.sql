-- Makes the partitions of a moment's month (in UTC) and of the two after it, drops those that ended 400 days before.
-- Any number of processes may call it at once: they wait for each other, however slow one is. Attaching does not wait for
-- writers; dropping does, for two seconds, since whoever writes next would stand behind it.
CREATE OR REPLACE FUNCTION keys.settle_audit_partitions(moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  this_month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  month timestamp;
  partition text;
BEGIN
  PERFORM set_config('lock_timeout', '60s', true);
  PERFORM pg_advisory_xact_lock(7331102);
  FOR ahead IN 0..2 LOOP
    month := this_month + make_interval(months => ahead);
    partition := 'audit_event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('keys.' || partition) IS NULL THEN
      EXECUTE format('CREATE TABLE keys.%I (LIKE keys.audit_event INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
      EXECUTE format('ALTER TABLE keys.audit_event ATTACH PARTITION keys.%I FOR VALUES FROM (%L) TO (%L)',
                     partition, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
  END LOOP;
  PERFORM set_config('lock_timeout', '2s', true);
  FOR partition IN
    SELECT child.relname FROM pg_inherits i JOIN pg_class child ON child.oid = i.inhrelid
     WHERE i.inhparent = 'keys.audit_event'::regclass
       AND to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month'
           < (moment AT TIME ZONE 'UTC') - interval '400 days'
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE keys.%I', partition);
    EXCEPTION WHEN lock_not_available THEN
      -- Somebody reads it; the next round tries again.
      NULL;
    END;
  END LOOP;
END $$;

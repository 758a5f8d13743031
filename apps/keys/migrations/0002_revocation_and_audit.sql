ALTER TABLE keys.ring_key
  ADD COLUMN revoked_at timestamptz,
  -- Null until the token service has made everything dead that was made with the revoked key.
  ADD COLUMN revocation_published_at timestamptz,
  -- A key that is revoked or replaced in the moment of its activation was never used.
  DROP CONSTRAINT ring_key_check,
  ADD CONSTRAINT ring_key_dates CHECK (active_at <= retire_at AND retire_at <= remove_at AND remove_at <= forget_at),
  ADD CONSTRAINT ring_key_revoked CHECK (revoked_at IS NULL OR state = 'removed');

-- Two keys of a line are announced; what keeps leaders apart is the revision that each of them must find unchanged.
DROP INDEX keys.ring_key_one_announced;

-- Who did what to which key, when, from where, and how it ended. Written in the transaction of the change it tells of.
CREATE TABLE keys.audit_event (
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  at               timestamptz NOT NULL DEFAULT now(),
  -- Null for the service itself, which rotates by the calendar.
  actor_id         text,
  actor_kind       text NOT NULL CHECK (actor_kind IN ('human', 'service_user', 'system')),
  action           text NOT NULL,
  target_kind      text,
  target_id        text,
  organization_id  text,
  client_address   text,
  -- refused: by a rule; failed: through our own fault or a dependency's
  result           text NOT NULL CHECK (result IN ('success', 'refused', 'failed')),
  details          jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);

-- Makes the partitions of a moment's month (in UTC) and of the two after it, drops those that ended 400 days before.
-- Any number of processes may call it at once. Attaching does not wait for writers; dropping does, for two seconds.
CREATE FUNCTION keys.settle_audit_partitions(moment timestamptz) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
  this_month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  month timestamp;
  partition text;
BEGIN
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

SELECT keys.settle_audit_partitions(now());

CREATE VIEW keys_read.audit_event_v1 AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM keys.audit_event;

GRANT USAGE ON SCHEMA keys_read TO signet_directory;
GRANT SELECT ON keys_read.audit_event_v1 TO signet_directory;

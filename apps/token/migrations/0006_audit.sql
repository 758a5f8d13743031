-- Who did what, when, from where, and how it ended: sign-outs, revocations, reuse, new refresh families, impersonation,
-- applications that could not be told of a logout. Written in the transaction of the change it tells of; nothing that
-- proves an identity stands in it.

CREATE TABLE grants.audit_event (
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  at               timestamptz NOT NULL DEFAULT now(),
  -- Null when nobody knows who it was.
  actor_id         text,
  actor_kind       text NOT NULL CHECK (actor_kind IN ('human', 'service_user', 'client', 'anonymous', 'service')),
  action           text NOT NULL,
  target_kind      text,
  target_id        text,
  -- Where the target lies; null for the instance and for what was not found.
  organization_id  text,
  client_address   text,
  -- refused: by a rule; failed: through our own fault or a dependency's
  result           text NOT NULL CHECK (result IN ('success', 'refused', 'failed')),
  details          jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);

-- Makes the partitions of a moment's month (in UTC) and of the two after it, drops those that ended 400 days before.
-- Any number of processes may call it at once. Attaching does not wait for writers; dropping does, for two seconds.
CREATE FUNCTION grants.settle_audit_partitions(moment timestamptz) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
  this_month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  month timestamp;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(7331011);
  FOR ahead IN 0..2 LOOP
    month := this_month + make_interval(months => ahead);
    partition := 'audit_event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('grants.' || partition) IS NULL THEN
      EXECUTE format('CREATE TABLE grants.%I (LIKE grants.audit_event INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
                     partition);
      EXECUTE format('ALTER TABLE grants.audit_event ATTACH PARTITION grants.%I FOR VALUES FROM (%L) TO (%L)',
                     partition, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
  END LOOP;
  FOR partition IN
    SELECT child.relname FROM pg_inherits i JOIN pg_class child ON child.oid = i.inhrelid
     WHERE i.inhparent = 'grants.audit_event'::regclass
       AND to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month'
           < (moment AT TIME ZONE 'UTC') - interval '400 days'
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE grants.%I', partition);
    EXCEPTION WHEN lock_not_available THEN
      -- Somebody reads it; the next round tries again.
      NULL;
    END;
  END LOOP;
END $$;

SELECT grants.settle_audit_partitions(now());

-- The directory answers the audit trail of everybody.
CREATE VIEW grants_read.audit_event_v1 AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM grants.audit_event;

GRANT USAGE ON SCHEMA grants_read TO signet_directory;
GRANT SELECT ON grants_read.audit_event_v1 TO signet_directory;

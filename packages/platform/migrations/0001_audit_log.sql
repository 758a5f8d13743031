-- replaces the files of commit 738cc7c4 and later ones:
--   0001_audit_chain.sql

-- The audit log of a service that has one. Applied by the administrator for the schema of each of these services, because the log
-- belongs to the role signet_audit: the owner of a schema may drop what stands in it. @schema@ and @role@ are the schema and role
-- of the service.

SET LOCAL ROLE signet_audit;

-- Who did what, when, from where, and how it ended. Written in the transaction of the change it tells of; nothing that
-- proves an identity stands in it. Jobs of the migration service are few: its log has no partitions.
DO $$
BEGIN
  EXECUTE $table$
    CREATE TABLE @schema@_audit.audit_event (
      id               uuid NOT NULL DEFAULT gen_random_uuid(),
      at               timestamptz NOT NULL DEFAULT now(),
      -- Null when it is unknown who it was, and for the service itself.
      actor_id         text,
      actor_kind       text NOT NULL,
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
    )$table$ || CASE WHEN '@schema@' <> 'migration' THEN ' PARTITION BY RANGE (at)' ELSE '' END;
END $$;
-- `system` is what keys wrote instead of `service` once. NOT VALID: rows of logs that are older than this rule were not checked.
ALTER TABLE @schema@_audit.audit_event ADD CONSTRAINT audit_event_actor_kind_check
  CHECK (actor_kind IN ('human', 'service_user', 'client', 'anonymous', 'bootstrap', 'service', 'system')) NOT VALID;
-- What administrators ask the trail: what a caller did, and what happened to an object.
CREATE INDEX audit_event_actor ON @schema@_audit.audit_event (actor_id, at, id);
CREATE INDEX audit_event_target ON @schema@_audit.audit_event (target_id, at, id);

GRANT USAGE ON SCHEMA @schema@_audit TO @role@, signet_keys, signet_directory;
-- Without id and at: their defaults are the only values.
GRANT SELECT, INSERT (actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details)
   ON @schema@_audit.audit_event TO @role@;

-- Committed rows that no segment contains. A row of a transaction that commits late appears here late, and is sealed then.
CREATE TABLE @schema@_audit.unsealed (
  at  timestamptz NOT NULL,
  id  uuid NOT NULL,
  PRIMARY KEY (at, id)
);

-- The chain: each segment holds the SHA-256 of rows that were committed, and of the segment before (docs/reference/audit-log.md).
CREATE TABLE @schema@_audit.segment (
  number     bigint PRIMARY KEY CHECK (number > 0),
  sealed_at  timestamptz NOT NULL,
  row_count  integer NOT NULL CHECK (row_count > 0),
  first_at   timestamptz NOT NULL,
  last_at    timestamptz NOT NULL,
  -- SHA-256 of `hashes`
  rows_hash  bytea NOT NULL,
  previous   bytea NOT NULL,
  hash       bytea NOT NULL,
  -- The rows, ordered by (at, id): where they stand, and 32 bytes for each. Null when the retention of all of them has ended.
  ats        timestamptz[],
  ids        uuid[],
  hashes     bytea
);
ALTER TABLE @schema@_audit.segment ALTER hashes SET STORAGE EXTERNAL;
CREATE INDEX segment_with_rows ON @schema@_audit.segment (last_at) WHERE ids IS NOT NULL;

-- The newest segment that the keys service has signed.
CREATE TABLE @schema@_audit.head (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  number     bigint NOT NULL DEFAULT 0,
  jws        text,
  signed_at  timestamptz
);
INSERT INTO @schema@_audit.head DEFAULT VALUES;
GRANT SELECT ON @schema@_audit.unsealed, @schema@_audit.segment, @schema@_audit.head TO signet_keys, signet_directory;
GRANT SELECT ON @schema@_audit.audit_event TO signet_directory;

CREATE FUNCTION @schema@_audit.enqueue() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO @schema@_audit.unsealed (at, id) SELECT at, id FROM new_rows;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION @schema@_audit.enqueue() FROM PUBLIC;
CREATE TRIGGER enqueue AFTER INSERT ON @schema@_audit.audit_event REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @schema@_audit.enqueue();

-- The canonical text of a row. PostgreSQL writes jsonb in one way only, so this text is the same for the same values.
CREATE FUNCTION @schema@_audit.content(e @schema@_audit.audit_event) RETURNS text LANGUAGE sql STABLE
RETURN jsonb_build_array(
  e.id, (extract(epoch FROM e.at) * 1000000)::bigint, e.action, e.result, e.actor_kind, e.actor_id, e.target_kind, e.target_id,
  e.organization_id, e.client_address, e.details)::text;
REVOKE ALL ON FUNCTION @schema@_audit.content(@schema@_audit.audit_event) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @schema@_audit.content(@schema@_audit.audit_event) TO signet_directory;

-- Appends one segment of at most so many committed rows, and returns how many it took. Callers wait for each other.
CREATE FUNCTION @schema@_audit.seal(most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last @schema@_audit.segment;
  next @schema@_audit.segment;
BEGIN
  PERFORM FROM @schema@_audit.head FOR UPDATE;
  SELECT * INTO last FROM @schema@_audit.segment ORDER BY number DESC LIMIT 1;
  WITH taken AS (
    DELETE FROM @schema@_audit.unsealed
     WHERE (at, id) IN (SELECT at, id FROM @schema@_audit.unsealed ORDER BY at, id LIMIT most)
    RETURNING at, id),
  hashed AS (
    -- A subquery for each row, because a join may read the whole log. A row that is gone already gets the hash of an
    -- empty text, which no row has, so that it is found.
    SELECT t.at, t.id, sha256(convert_to(coalesce(
             (SELECT @schema@_audit.content(e) FROM @schema@_audit.audit_event e WHERE e.at = t.at AND e.id = t.id), ''), 'UTF8')) AS hash
      FROM taken t)
  SELECT count(*), min(at), max(at), array_agg(at ORDER BY at, id), array_agg(id ORDER BY at, id),
         string_agg(hash, ''::bytea ORDER BY at, id)
    INTO next.row_count, next.first_at, next.last_at, next.ats, next.ids, next.hashes
    FROM hashed;
  IF next.row_count = 0 THEN
    RETURN 0;
  END IF;
  next.number := coalesce(last.number, 0) + 1;
  next.sealed_at := clock_timestamp();
  next.rows_hash := sha256(next.hashes);
  next.previous := coalesce(last.hash, decode(repeat('00', 32), 'hex'));
  next.hash := sha256(convert_to(concat_ws(E'\n', 'signet-audit-segment-1', '@schema@', next.number,
    (extract(epoch FROM next.sealed_at) * 1000000)::bigint, next.row_count,
    (extract(epoch FROM next.first_at) * 1000000)::bigint, (extract(epoch FROM next.last_at) * 1000000)::bigint,
    encode(next.rows_hash, 'hex'), encode(next.previous, 'hex')), 'UTF8'));
  INSERT INTO @schema@_audit.segment VALUES (next.*);
  RETURN next.row_count;
END $$;
REVOKE ALL ON FUNCTION @schema@_audit.seal(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @schema@_audit.seal(integer) TO signet_keys;

-- Stores the signature of a segment, unless that of a later one is stored.
CREATE FUNCTION @schema@_audit.store_head(signed bigint, signature text) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  UPDATE @schema@_audit.head SET number = signed, jws = signature, signed_at = clock_timestamp() WHERE number <= signed;
$$;
REVOKE ALL ON FUNCTION @schema@_audit.store_head(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @schema@_audit.store_head(bigint, text) TO signet_keys;

-- Makes the partitions of the month (in UTC) of `moment` and of the database's clock, and of so many months after them. Takes
-- away rows that are sealed and 400 days old by both clocks, partition by partition; a table without partitions row by row.
-- The hashes of their segments stay. A segment keeps its list of rows while their partition is there, so the call after the one
-- that drops the partition empties it: the lock of DROP ends before. A writer waits 100 ms at most for it.
CREATE FUNCTION @schema@_audit.settle(moment timestamptz, ahead integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_partitioned boolean := relkind = 'p' FROM pg_class WHERE oid = '@schema@_audit.audit_event'::regclass;
  over timestamptz := least(moment, clock_timestamp()) - interval '9600 hours';
  month timestamp;
  partition text;
BEGIN
  PERFORM set_config('lock_timeout', '60s', true);
  UPDATE @schema@_audit.segment SET ats = NULL, ids = NULL, hashes = NULL
   WHERE ids IS NOT NULL
     AND last_at < CASE WHEN is_partitioned THEN least(date_trunc('month', over, 'UTC'), (
           SELECT min(to_timestamp(right(c.relname, 7), 'YYYY_MM')::timestamp) AT TIME ZONE 'UTC'
             FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = '@schema@_audit.audit_event'::regclass)) ELSE over END;
  IF NOT is_partitioned THEN
    DELETE FROM @schema@_audit.audit_event e
     WHERE at < over AND NOT EXISTS (SELECT FROM @schema@_audit.unsealed u WHERE u.at = e.at AND u.id = e.id);
  ELSE
    FOR month IN
      SELECT DISTINCT date_trunc('month', clock AT TIME ZONE 'UTC') + make_interval(months => n)
        FROM unnest(ARRAY[moment, clock_timestamp()]) AS clock, generate_series(0, ahead) AS n
    LOOP
      partition := 'audit_event_' || to_char(month, 'YYYY_MM');
      CONTINUE WHEN to_regclass('@schema@_audit.' || partition) IS NOT NULL;
      PERFORM pg_advisory_xact_lock(hashtextextended('partitions of @schema@_audit.audit_event', 0));
      CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = '@schema@_audit'::regnamespace AND relname = partition);
      EXECUTE format('CREATE TABLE @schema@_audit.%I (LIKE @schema@_audit.audit_event INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
                     partition);
      -- Writers do not wait for ATTACH, which takes SHARE UPDATE EXCLUSIVE.
      EXECUTE format('ALTER TABLE @schema@_audit.audit_event ATTACH PARTITION @schema@_audit.%I FOR VALUES FROM (%L) TO (%L)',
                     partition, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
    PERFORM set_config('lock_timeout', '100ms', true);
    FOR partition IN
      SELECT relname FROM pg_class
       WHERE relnamespace = '@schema@_audit'::regnamespace AND relkind = 'r' AND relname ~ '^audit_event_\d{4}_\d{2}$'
         AND relname < 'audit_event_' || to_char(over AT TIME ZONE 'UTC', 'YYYY_MM')
    LOOP
      month := to_timestamp(right(partition, 7), 'YYYY_MM')::timestamp + interval '1 month';
      CONTINUE WHEN EXISTS (SELECT FROM @schema@_audit.unsealed WHERE at < month AT TIME ZONE 'UTC');
      BEGIN
        EXECUTE format('DROP TABLE @schema@_audit.%I', partition);
      EXCEPTION WHEN lock_not_available THEN
        -- A transaction reads it; the next call tries again.
        NULL;
      END;
    END LOOP;
  END IF;
END $$;
REVOKE ALL ON FUNCTION @schema@_audit.settle(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @schema@_audit.settle(timestamptz, integer) TO @role@;

-- The partitions of this month and of the next two.
SELECT @schema@_audit.settle(now(), 2);

-- Replicas of the version before write through it.
SET LOCAL ROLE @role@;
CREATE VIEW @schema@.audit_event AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM @schema@_audit.audit_event;

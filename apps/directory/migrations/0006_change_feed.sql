-- What readers must drop from their caches. Filled by triggers on every table that a published view reads, so that no
-- writer can forget it.

CREATE TABLE directory.change (
  seq   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Readers ask for everything at or above the oldest transaction that was still running at their last poll: a row
  -- that commits late is seen, whatever its seq.
  xid   xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind  text NOT NULL,
  id    text NOT NULL
);
CREATE INDEX change_xid ON directory.change (xid);

-- Arguments: the kind to record and the column that holds the id.
CREATE FUNCTION directory.record_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  source text := CASE TG_OP
    WHEN 'INSERT' THEN format('SELECT %I::text AS id FROM new_rows', TG_ARGV[1])
    WHEN 'DELETE' THEN format('SELECT %I::text AS id FROM old_rows', TG_ARGV[1])
    ELSE format('SELECT %1$I::text AS id FROM new_rows UNION SELECT %1$I::text FROM old_rows', TG_ARGV[1])
  END;
BEGIN
  EXECUTE format('INSERT INTO directory.change (kind, id) SELECT DISTINCT $1, id FROM (%s) AS changed', source)
    USING TG_ARGV[0];
  RETURN NULL;
END $$;

DO $$
DECLARE
  source record;
BEGIN
  FOR source IN
    SELECT * FROM (VALUES
      ('organization', 'organization', 'organization_id'),
      ('organization_domain', 'organization', 'organization_id'),
      ('organization_policy', 'organization', 'organization_id'),
      ('account', 'account', 'user_id'),
      ('user_metadata', 'account', 'user_id'),
      ('service_user', 'account', 'user_id'),
      ('service_user_secret', 'account', 'user_id'),
      ('machine_key', 'account', 'user_id'),
      ('project', 'project', 'project_id'),
      ('project_role', 'project', 'project_id'),
      ('user_grant', 'user_grant', 'user_id'),
      ('user_grant_role', 'user_grant', 'user_id'),
      ('application', 'application', 'application_id'),
      ('application_secret', 'application', 'application_id'),
      ('application_key', 'application', 'application_id'),
      ('setting', 'setting', 'singleton'),
      ('feature', 'feature', 'name')
    ) AS t (table_name, kind, id_column)
  LOOP
    EXECUTE format('CREATE TRIGGER record_insert AFTER INSERT ON directory.%I REFERENCING NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                   source.table_name, source.kind, source.id_column);
    EXECUTE format('CREATE TRIGGER record_update AFTER UPDATE ON directory.%I
                    REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                   source.table_name, source.kind, source.id_column);
    EXECUTE format('CREATE TRIGGER record_delete AFTER DELETE ON directory.%I REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                   source.table_name, source.kind, source.id_column);
  END LOOP;
END $$;

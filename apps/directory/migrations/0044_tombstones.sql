-- Ids that were given up. Relying parties know people and clients by their ids for ever (OpenID Connect Core section 2:
-- a subject identifier is never reassigned), so another organization never gets an id a second time.
CREATE TABLE directory.tombstone (
  id               text NOT NULL,
  -- What had the id. A service user has two, its own and its client_id; `client` is the client_id of an application.
  kind             text NOT NULL
                   CHECK (kind IN ('human', 'service_user', 'client', 'application', 'project', 'organization')),
  -- Where the same kind of object may have the id again; null: in no organization, because several had it or none is known.
  organization_id  text,
  ended_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id, kind)
);

-- What the audit trail tells of objects that no longer exist. Before the triggers, whose locks this would hold for long;
-- what is deleted meanwhile is in retired_epoch, which is read last.
WITH named AS (
  SELECT target_id AS id,
         CASE target_kind WHEN 'user' THEN 'human' ELSE target_kind END AS kind,
         organization_id, at, action
    FROM directory.audit_event
   WHERE result = 'success' AND target_kind IN ('user', 'service_user', 'project', 'application') AND target_id IS NOT NULL
     AND organization_id IS NOT NULL AND action ~ '\.(create|created|update|updated|delete)$'
), ended AS (
  SELECT id,
         CASE WHEN kind = 'human' AND bool_or(action ~ '^service_user\.') OVER (PARTITION BY id, kind)
              THEN 'service_user' ELSE kind END AS kind,
         organization_id, at
    FROM named
)
INSERT INTO directory.tombstone (id, kind, organization_id, ended_at)
SELECT e.id, e.kind, CASE WHEN count(DISTINCT e.organization_id) = 1 THEN min(e.organization_id) END, max(e.at)
  FROM ended e
 WHERE CASE e.kind
         WHEN 'project' THEN NOT EXISTS (SELECT FROM directory.project p WHERE p.project_id = e.id)
         WHEN 'application' THEN NOT EXISTS (SELECT FROM directory.application a WHERE a.application_id = e.id)
         ELSE NOT EXISTS (SELECT FROM directory.account a WHERE a.user_id = e.id)
       END
 GROUP BY e.id, e.kind;

-- Argument: a query for id, kind and organization of what the statement gave up.
CREATE FUNCTION directory.keep_tombstones() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.tombstone AS t (id, kind, organization_id) ' || TG_ARGV[0] || '
             ON CONFLICT (id, kind) DO UPDATE
            SET ended_at = excluded.ended_at,
                organization_id = CASE WHEN t.organization_id = excluded.organization_id THEN t.organization_id END';
  RETURN NULL;
END $$;

CREATE TRIGGER keep_tombstones AFTER DELETE ON directory.organization
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT organization_id, ''organization'', organization_id FROM old_rows');

CREATE TRIGGER keep_tombstones AFTER DELETE ON directory.account
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT user_id, kind, organization_id FROM old_rows');

CREATE TRIGGER keep_tombstones_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT o.client_id, ''service_user'', a.organization_id
       FROM old_rows o JOIN new_rows n USING (user_id) JOIN directory.account a USING (user_id)
      WHERE o.client_id IS DISTINCT FROM n.client_id AND o.client_id IS NOT NULL AND o.client_id <> o.user_id');

CREATE TRIGGER keep_tombstones_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT o.client_id, ''client'', p.organization_id
       FROM old_rows o JOIN new_rows n USING (application_id) JOIN directory.project p ON p.project_id = o.project_id
      WHERE o.client_id <> n.client_id');

-- Before the row goes: afterwards its client_id is gone with it.
CREATE FUNCTION directory.keep_tombstone_of_service_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT s.client_id, 'service_user', OLD.organization_id
      FROM directory.service_user s
     WHERE s.user_id = OLD.user_id AND s.client_id IS NOT NULL AND s.client_id <> OLD.user_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstone BEFORE DELETE ON directory.account
  FOR EACH ROW WHEN (OLD.kind = 'service_user') EXECUTE FUNCTION directory.keep_tombstone_of_service_user();

-- Of an application, while its project still says to which organization it belongs.
CREATE FUNCTION directory.keep_tombstones_of_application() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT gone.id, gone.kind, p.organization_id
      FROM directory.project p
      CROSS JOIN (VALUES (OLD.client_id::text, 'client'), (OLD.application_id::text, 'application')) AS gone (id, kind)
     WHERE p.project_id = OLD.project_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstones BEFORE DELETE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.keep_tombstones_of_application();

CREATE FUNCTION directory.keep_tombstones_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT OLD.project_id, 'project', OLD.organization_id
     UNION ALL
    SELECT gone.id, gone.kind, OLD.organization_id
      FROM directory.application a
      CROSS JOIN LATERAL (VALUES (a.client_id::text, 'client'), (a.application_id::text, 'application')) AS gone (id, kind)
     WHERE a.project_id = OLD.project_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstones BEFORE DELETE ON directory.project
  FOR EACH ROW EXECUTE FUNCTION directory.keep_tombstones_of_project();

-- Arguments: a query for id, kind and organization of what the statement made, and the kinds that share its namespace.
-- After the insert: only then has it waited for the transaction that deletes whatever had the id. What a dry run of an
-- import puts in the place of objects that it will make is no such object.
CREATE FUNCTION directory.refuse_tombstones() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  IF coalesce(current_setting('signet.placeholders', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  EXECUTE 'SELECT made.id FROM (' || TG_ARGV[0] || ') AS made (id, kind, organization_id)
             JOIN directory.tombstone t ON t.id = made.id AND t.kind = ANY ($1)
            WHERE t.kind <> made.kind OR t.organization_id IS DISTINCT FROM made.organization_id LIMIT 1'
     INTO refused USING TG_ARGV[1]::text[];
  IF refused IS NOT NULL THEN
    RAISE unique_violation USING CONSTRAINT = 'tombstone_rule', TABLE = 'tombstone',
      MESSAGE = format('the id %s belonged to a deleted user, client, application or project; only the same kind of '
                       'object in the same organization may have it again', refused);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER refuse_tombstones AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT user_id, kind, organization_id FROM new_rows', '{human,service_user,client}');

CREATE TRIGGER refuse_tombstones_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''service_user'', a.organization_id FROM new_rows n JOIN directory.account a USING (user_id)',
    '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''service_user'', a.organization_id
       FROM new_rows n JOIN old_rows o USING (user_id) JOIN directory.account a USING (user_id)
      WHERE n.client_id IS DISTINCT FROM o.client_id', '{human,service_user,client}');

CREATE TRIGGER refuse_tombstones_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''client'', p.organization_id FROM new_rows n JOIN directory.project p USING (project_id)',
    '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_id AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.application_id, ''application'', p.organization_id FROM new_rows n JOIN directory.project p USING (project_id)',
    '{application}');
CREATE TRIGGER refuse_tombstones_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''client'', p.organization_id
       FROM new_rows n JOIN old_rows o USING (application_id) JOIN directory.project p ON p.project_id = n.project_id
      WHERE n.client_id <> o.client_id', '{human,service_user,client}');

CREATE TRIGGER refuse_tombstones AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT project_id, ''project'', organization_id FROM new_rows', '{project}');

-- What was retired before: users, service users under both of their ids, clients, and organizations.
WITH ended (id, kind, organization_id, at) AS (
  SELECT e.owner_id,
         CASE WHEN EXISTS (SELECT FROM directory.retired_epoch c
                            WHERE c.owner_kind = 'account' AND c.owner_id = e.owner_id AND c.kind = 'c')
              THEN 'service_user' ELSE 'human' END,
         e.organization_id, e.retired_at
    FROM directory.retired_epoch e WHERE e.owner_kind = 'account' AND e.kind = 'u'
   UNION ALL
  SELECT id, 'service_user', organization_id, retired_at
    FROM directory.retired_epoch WHERE owner_kind = 'account' AND kind = 'c'
   UNION ALL
  SELECT gone.id, gone.kind, coalesce(e.organization_id, p.organization_id), e.retired_at
    FROM directory.retired_epoch e
    LEFT JOIN directory.tombstone p ON p.id = e.project_id AND p.kind = 'project'
    CROSS JOIN LATERAL (VALUES (e.id, 'client'), (e.owner_id, 'application'), (e.project_id, 'project')) AS gone (id, kind)
   WHERE e.owner_kind = 'application' AND gone.id IS NOT NULL
   UNION ALL
  SELECT id, 'organization', id, retired_at FROM directory.retired_epoch WHERE kind = 'o'
)
INSERT INTO directory.tombstone AS t (id, kind, organization_id, ended_at)
SELECT e.id, e.kind, CASE WHEN count(DISTINCT e.organization_id) = 1 THEN min(e.organization_id) END, max(e.at)
  FROM ended e
 WHERE CASE e.kind
         WHEN 'project' THEN NOT EXISTS (SELECT FROM directory.project p WHERE p.project_id = e.id)
         WHEN 'application' THEN NOT EXISTS (SELECT FROM directory.application a WHERE a.application_id = e.id)
         WHEN 'organization' THEN NOT EXISTS (SELECT FROM directory.organization o WHERE o.organization_id = e.id)
         ELSE NOT EXISTS (SELECT FROM directory.principal p WHERE p.principal_id = e.id)
       END
 GROUP BY e.id, e.kind
    ON CONFLICT (id, kind) DO UPDATE
   SET organization_id = CASE WHEN t.organization_id = excluded.organization_id OR excluded.organization_id IS NULL
                              THEN t.organization_id END;

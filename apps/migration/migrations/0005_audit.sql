-- Who started, cancelled and resumed which export or import, and how it ended. Written in the transaction of the change
-- it tells of. Jobs are few: one table for the 400 days, without partitions.
CREATE TABLE migration.audit_event (
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  at               timestamptz NOT NULL DEFAULT now(),
  -- Null for the service itself, which ends jobs.
  actor_id         text,
  actor_kind       text NOT NULL CHECK (actor_kind IN ('human', 'service_user', 'service')),
  action           text NOT NULL,
  target_kind      text,
  target_id        text,
  organization_id  text,
  client_address   text,
  -- refused: by a rule; failed: through our own fault or a dependency's
  result           text NOT NULL CHECK (result IN ('success', 'refused', 'failed')),
  details          jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
  PRIMARY KEY (at, id)
);
CREATE INDEX audit_event_actor ON migration.audit_event (actor_id, at, id);
CREATE INDEX audit_event_target ON migration.audit_event (target_id, at, id);

CREATE VIEW migration_read.audit_event_v1 AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM migration.audit_event;

GRANT USAGE ON SCHEMA migration_read TO signet_directory;
GRANT SELECT ON migration_read.audit_event_v1 TO signet_directory;

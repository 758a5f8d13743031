-- Moving organizations between instances.

-- Batches of imports that were written, with what became of their records. It is written in the transaction of the
-- rows, so that a batch is applied exactly once whatever ends in between.
CREATE TABLE directory.applied_batch (
  job_id      text NOT NULL,
  batch       bigint NOT NULL,
  -- One letter for each record: c created, u updated, s skipped, f failed.
  outcomes    text NOT NULL,
  failures    jsonb NOT NULL DEFAULT '[]',
  notes       text[] NOT NULL DEFAULT '{}',
  applied_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, batch)
);
-- Forgetting them when nobody can ask again.
CREATE INDEX applied_batch_age ON directory.applied_batch (applied_at);

-- What a document says that nothing here interprets yet: whole records of lists, and the members of other records for
-- which there is no column. Sealed, since some hold secrets of other systems.
CREATE TABLE directory.carried_record (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  list             text NOT NULL,
  record_key       text NOT NULL,
  -- Where it belongs to somebody or something that may be deleted before the organization is.
  user_id          directory.object_id REFERENCES directory.account ON DELETE CASCADE,
  project_id       directory.object_id REFERENCES directory.project ON DELETE CASCADE,
  application_id   directory.object_id REFERENCES directory.application ON DELETE CASCADE,
  -- AES-256-GCM under the directory master key
  sealed_record    bytea NOT NULL,
  PRIMARY KEY (organization_id, list, record_key)
);
CREATE INDEX carried_record_user ON directory.carried_record (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX carried_record_project ON directory.carried_record (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX carried_record_application ON directory.carried_record (application_id)
  WHERE application_id IS NOT NULL;
-- The members of the projects of an organization are exported with it.
CREATE INDEX member_project ON directory.member (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX member_organization ON directory.member (organization_id) WHERE organization_id IS NOT NULL;

-- What a job needs to be run by any worker, again and again, until it is done.

ALTER TABLE migration.job DROP CONSTRAINT job_state_check;
ALTER TABLE migration.job ADD CONSTRAINT job_state_check CHECK (state IN
  -- staging: the document is still coming in; nobody may run it, and it is lost with the connection.
  ('staging', 'queued', 'running', 'succeeded', 'partial', 'failed', 'timed_out', 'cancelled'));
ALTER TABLE migration.job ADD CONSTRAINT job_ended CHECK
  ((state IN ('staging', 'queued', 'running')) = (ended_at IS NULL));

ALTER TABLE migration.job
  ADD COLUMN actor_kind text NOT NULL DEFAULT 'service_user',
  -- staging, validating, applying or exporting
  ADD COLUMN phase text NOT NULL DEFAULT 'queued',
  -- What was asked for, without anything secret.
  ADD COLUMN request jsonb NOT NULL DEFAULT '{}',
  -- AES-256-GCM under the migration master key; gone when the job has ended for good.
  ADD COLUMN sealed_credentials bytea,
  ADD COLUMN timeout_ms bigint NOT NULL DEFAULT 600000,
  ADD COLUMN accepted_at timestamptz,
  ADD COLUMN deadline_at timestamptz,
  ADD COLUMN started_at timestamptz,
  -- Rises when a job is taken up again; what an earlier attempt left behind is told apart by it.
  ADD COLUMN attempt integer NOT NULL DEFAULT 1,
  -- How it shall end once nothing of it is under way.
  ADD COLUMN stop_as text CHECK (stop_as IN ('timed_out', 'cancelled')),
  -- When a worker was last told of it; null until then.
  ADD COLUMN dispatched_at timestamptz,
  -- Who exports, or still stages.
  ADD COLUMN worker_id text,
  -- {code, message, details} of what made it fail
  ADD COLUMN error jsonb,
  ADD COLUMN notes text[] NOT NULL DEFAULT '{}',
  -- Of an export.
  ADD COLUMN total bigint NOT NULL DEFAULT 0,
  ADD COLUMN done bigint NOT NULL DEFAULT 0;

-- The newest come first.
CREATE INDEX job_created ON migration.job (created_at DESC, job_id);

-- Who is alive. A worker claims by its id, and what it claimed is free when it has not been heard of.
CREATE TABLE migration.worker (
  worker_id  text PRIMARY KEY,
  seen_at    timestamptz NOT NULL
);

CREATE TABLE migration.staged_organization (
  job_id           text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  ordinal          integer NOT NULL,
  organization_id  text NOT NULL,
  PRIMARY KEY (job_id, ordinal)
);

-- Records of one list, in the order of the document; what became of them stands beside them.
CREATE TABLE migration.staged_batch (
  job_id        text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  batch         integer NOT NULL,
  -- Stages are applied one after the other.
  stage         smallint NOT NULL,
  -- Of the organization.
  ordinal       integer NOT NULL,
  list          text NOT NULL,
  first_index   integer NOT NULL,
  record_count  integer NOT NULL,
  -- How errors call each record.
  ids           text[] NOT NULL,
  -- How the result calls each record, where it is another way.
  entries       jsonb,
  -- What no two records of a document may share, and the record it is of, counted within the batch.
  unique_keys   text[] NOT NULL,
  unique_at     integer[] NOT NULL,
  -- A compressed JSON array, AES-256-GCM under the migration master key; gone when the job has ended for good.
  sealed        bytea,
  claimed_by    text,
  outcomes      text,
  failures      jsonb,
  notes         text[],
  PRIMARY KEY (job_id, batch)
);
-- What is left to do, stage by stage.
CREATE INDEX staged_batch_open ON migration.staged_batch (job_id, stage, batch) WHERE outcomes IS NULL;
-- The order of the result.
CREATE INDEX staged_batch_place ON migration.staged_batch (job_id, ordinal, list, batch);

-- What a dry run takes for done.
CREATE TABLE migration.staged_key (
  job_id           text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  unique_key       text NOT NULL,
  organization_id  text NOT NULL,
  PRIMARY KEY (job_id, unique_key)
);

-- An exported document, for as long as it may be read again.
CREATE TABLE migration.document_chunk (
  job_id    text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  attempt   integer NOT NULL,
  position  integer NOT NULL,
  sealed    bytea NOT NULL,
  PRIMARY KEY (job_id, attempt, position)
);

-- replaces the files of commit 738cc7c4 and later ones:
--   0001_job.sql 0002_runs.sql 0003_storage.sql 0004_completing.sql 0005_audit.sql 0006_restored.sql 0007_retention.sql
--   0008_rejected_records.sql 0009_plans_and_undo.sql 0010_export_counts.sql 0011_rehearsals.sql 0012_lost_workers.sql
--   0013_small_batches.sql

-- Exports, imports and undos, with the records of documents while they are applied.

-- One row for every job; the truth that the queue only points to.
CREATE TABLE migration.job (
  job_id              text PRIMARY KEY,
  kind                text NOT NULL CHECK (kind IN ('export', 'import', 'undo')),
  -- staging: the document is still coming in; no worker may run the job, and it is lost with the connection.
  state               text NOT NULL CHECK (state IN
    ('staging', 'queued', 'running', 'succeeded', 'partial', 'failed', 'timed_out', 'cancelled')),
  created_by          text NOT NULL,
  created_at          timestamptz NOT NULL,
  ended_at            timestamptz,
  actor_kind          text NOT NULL DEFAULT 'service_user',
  -- staging, validating, applying or exporting
  phase               text NOT NULL DEFAULT 'queued',
  -- What was asked for, without anything secret.
  request             jsonb NOT NULL DEFAULT '{}',
  -- AES-256-GCM under the migration master key; gone when the job has ended for good.
  sealed_credentials  bytea,
  timeout_ms          bigint NOT NULL DEFAULT 600000,
  accepted_at         timestamptz,
  deadline_at         timestamptz,
  started_at          timestamptz,
  -- Rises when a job is taken up again, which tells what an earlier attempt left behind from what this one writes.
  attempt             integer NOT NULL DEFAULT 1,
  -- How it shall end once nothing of it is under way.
  stop_as             text CHECK (stop_as IN ('timed_out', 'cancelled')),
  -- When a worker was last told of it; null until then.
  dispatched_at       timestamptz,
  -- The worker that exports, or still stages.
  worker_id           text,
  -- {code, message, details} of what made it fail
  error               jsonb,
  notes               text[] NOT NULL DEFAULT '{}',
  -- Records of an export.
  total               bigint NOT NULL DEFAULT 0,
  done                bigint NOT NULL DEFAULT 0,
  -- Uploads in several steps leave parts behind when their process ends: the next attempt removes them.
  sealed_upload       bytea,
  -- How long the object is that an attempt was about to complete. When its worker is lost before it can say that the object
  -- is there, the next attempt finds it and knows that it is its own. Null until then.
  completing_bytes    bigint,
  -- Whether it still has what only a resumed run reads.
  resume_data         boolean NOT NULL DEFAULT true,
  -- The import that an undo takes back.
  undo_of             text,
  -- An undo of this import has begun: it is not resumed any more.
  is_undone           boolean NOT NULL DEFAULT false,
  -- Users who were deleted until then are not in it.
  cleared_at          timestamptz NOT NULL DEFAULT now(),
  -- Of an export: how many records each list of its document has.
  records             jsonb,
  -- Of an import: how many password hashes and TOTP secrets of its document can be used, by kind.
  credentials         jsonb,
  -- Wrong answers to sample sign-ins against a dry run. Each try counts before it is made.
  wrong_sign_ins      integer NOT NULL DEFAULT 0,
  CONSTRAINT job_ended CHECK ((state IN ('staging', 'queued', 'running')) = (ended_at IS NULL)),
  CONSTRAINT job_undo_of CHECK ((kind = 'undo') = (undo_of IS NOT NULL))
);
-- What a worker looks for.
CREATE INDEX job_unfinished ON migration.job (created_at) WHERE ended_at IS NULL;
-- The newest come first.
CREATE INDEX job_created ON migration.job (created_at DESC, job_id);
-- Ended jobs are deleted after SIGNET_MIGRATION_JOB_RETENTION_DAYS; what only a resumed run reads is deleted as soon as
-- the job cannot be resumed any more.
CREATE INDEX job_resume_data ON migration.job (ended_at) WHERE resume_data AND ended_at IS NOT NULL;
CREATE INDEX job_ended_at ON migration.job (ended_at) WHERE ended_at IS NOT NULL;
-- Two undos of one import at once would share its records.
CREATE UNIQUE INDEX job_undo_running ON migration.job (undo_of) WHERE ended_at IS NULL AND undo_of IS NOT NULL;
CREATE INDEX job_cleared ON migration.job (cleared_at);

-- The workers that live. A worker claims by its id, and what it claimed is free when it has not been heard of.
CREATE TABLE migration.worker (
  worker_id    text PRIMARY KEY,
  seen_at      timestamptz NOT NULL,
  -- It ends in good order: batches that it leaves are no reason for its end.
  is_stopping  boolean NOT NULL DEFAULT false
);

CREATE TABLE migration.staged_organization (
  job_id           text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  ordinal          integer NOT NULL,
  organization_id  text NOT NULL,
  PRIMARY KEY (job_id, ordinal)
);

-- Records of one list, in the order of the document, with their outcomes.
CREATE TABLE migration.staged_batch (
  job_id               text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  batch                integer NOT NULL,
  -- Stages are applied one after the other.
  stage                smallint NOT NULL,
  -- Of the organization.
  ordinal              integer NOT NULL,
  list                 text NOT NULL,
  first_index          integer NOT NULL,
  record_count         integer NOT NULL,
  -- How errors call each record.
  ids                  text[] NOT NULL,
  -- How the result calls each record, where it is another way.
  entries              jsonb,
  -- What no two records of a document may share, and the record it is of, counted within the batch.
  unique_keys          text[] NOT NULL,
  unique_at            integer[] NOT NULL,
  -- A compressed JSON array, AES-256-GCM under the migration master key; gone when the job has ended for good.
  sealed               bytea,
  claimed_by           text,
  outcomes             text,
  failures             jsonb,
  notes                text[],
  -- Of each record in its list; null when they follow one another from first_index on.
  indexes              integer[],
  -- Records without their invalid credentials: applied only when the import asks for it.
  without_credentials  boolean NOT NULL DEFAULT false,
  -- The positions of records that an earlier record of the document excludes.
  left_out             integer[] NOT NULL DEFAULT '{}',
  -- Of a dry run, sealed by the directory for itself.
  plan                 bytea,
  -- Of a dry run: {index, fields} of the records that would be updated.
  changes              jsonb,
  -- Workers that were not heard of again while they had claimed it. One that is heard of takes itself out.
  lost_workers         text[] NOT NULL DEFAULT '{}',
  -- Not tried again after three of them, until the job is resumed.
  is_set_aside         boolean NOT NULL DEFAULT false,
  -- How much of one call a batch takes up, in thousandths; null: it is applied alone. Small batches of one list are applied
  -- together, so that many small organizations take little longer than a large one.
  call_share           smallint,
  PRIMARY KEY (job_id, batch)
);
-- What is left to do, stage by stage.
CREATE INDEX staged_batch_open ON migration.staged_batch (job_id, stage, batch) WHERE outcomes IS NULL;
-- The order of the result.
CREATE INDEX staged_batch_place ON migration.staged_batch (job_id, ordinal, list, batch);
-- Claims of batches that lost a worker; there are hardly any.
CREATE INDEX staged_batch_suspect ON migration.staged_batch (claimed_by)
  WHERE outcomes IS NULL AND lost_workers <> '{}';
-- The open batches of a list.
CREATE INDEX staged_batch_open_list ON migration.staged_batch (job_id, stage, list, batch) WHERE outcomes IS NULL;

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

-- Records of a document that break a rule.
CREATE TABLE migration.rejected_batch (
  job_id            text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  batch             integer NOT NULL,
  -- Of the organization.
  ordinal           integer NOT NULL,
  -- 'organization' for the fields of the organization itself.
  list              text NOT NULL,
  record_count      integer NOT NULL,
  -- {index, id, problems} of the records that the report names.
  problems          jsonb NOT NULL,
  -- The records as they were written, a compressed text, AES-256-GCM under the migration master key; gone a day after
  -- the job has ended.
  sealed            bytea,
  -- Their passwords and OTP secrets are their only problem.
  credentials_only  boolean NOT NULL,
  -- They were imported without these.
  imported          boolean NOT NULL DEFAULT false,
  PRIMARY KEY (job_id, batch)
);
CREATE INDEX rejected_batch_place ON migration.rejected_batch (job_id, ordinal, list, batch);
CREATE INDEX rejected_batch_sealed ON migration.rejected_batch (job_id) WHERE sealed IS NOT NULL;

-- What `signet-migrate restored` does here while no service runs: claims of workers that no longer exist end at once.
CREATE FUNCTION migration.restored() RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM migration.worker;
  part := 'exports and imports continued';
  UPDATE migration.job SET dispatched_at = NULL WHERE ended_at IS NULL AND accepted_at IS NOT NULL;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
END $$;

GRANT USAGE ON SCHEMA migration_read TO signet_directory;

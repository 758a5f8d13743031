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

ALTER TABLE migration.staged_batch
  -- Of each record in its list; null when they follow one another from first_index on.
  ADD COLUMN indexes integer[],
  -- Records without their invalid credentials: applied only when the import asks for it.
  ADD COLUMN without_credentials boolean NOT NULL DEFAULT false,
  -- The positions of records that an earlier record of the document excludes.
  ADD COLUMN left_out integer[] NOT NULL DEFAULT '{}';

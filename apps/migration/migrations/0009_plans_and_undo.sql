-- A dry run is a plan that can be applied without a second upload; an undo is a job that takes an import back.
ALTER TABLE migration.job DROP CONSTRAINT job_kind_check;
ALTER TABLE migration.job ADD CONSTRAINT job_kind_check CHECK (kind IN ('export', 'import', 'undo'));
ALTER TABLE migration.job
  -- The import that an undo takes back.
  ADD COLUMN undo_of text,
  -- An undo of this import has begun: it is not resumed any more.
  ADD COLUMN is_undone boolean NOT NULL DEFAULT false,
  -- Users who were deleted until then are not in it.
  ADD COLUMN cleared_at timestamptz NOT NULL DEFAULT now(),
  ADD CONSTRAINT job_undo_of CHECK ((kind = 'undo') = (undo_of IS NOT NULL));
-- Two undos of one import at once would share its records.
CREATE UNIQUE INDEX job_undo_running ON migration.job (undo_of) WHERE ended_at IS NULL AND undo_of IS NOT NULL;
CREATE INDEX job_cleared ON migration.job (cleared_at);

ALTER TABLE migration.staged_batch
  -- Of a dry run, sealed by the directory for itself.
  ADD COLUMN plan bytea,
  -- Of a dry run: {index, fields} of the records that would be updated.
  ADD COLUMN changes jsonb;

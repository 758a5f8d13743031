-- What an import leaves out: the list of the conversion before it, and how many records came without a part.

CREATE TABLE migration.left_out (
  job_id       text NOT NULL REFERENCES migration.job ON DELETE CASCADE,
  -- 'people': entries that name people, deleted with the first of them; 'others'
  part         text NOT NULL CHECK (part IN ('people', 'others')),
  -- A compressed JSON array, AES-256-GCM under the migration master key.
  sealed       bytea NOT NULL,
  -- Values of the source that the list does not hold because it is bounded.
  omitted      integer NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, part)
);

-- Of the records that were written: how many without a part that broke a rule.
ALTER TABLE migration.staged_batch ADD COLUMN with_changes integer NOT NULL DEFAULT 0;

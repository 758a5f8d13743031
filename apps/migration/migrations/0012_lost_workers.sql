ALTER TABLE migration.worker
  -- It ends in good order: batches that it leaves are no reason for its end.
  ADD COLUMN is_stopping boolean NOT NULL DEFAULT false;
ALTER TABLE migration.staged_batch
  -- Workers that were not heard of again while they had claimed it. One that is heard of takes itself out.
  ADD COLUMN lost_workers text[] NOT NULL DEFAULT '{}',
  -- Not tried again after three of them, until the job is resumed.
  ADD COLUMN is_set_aside boolean NOT NULL DEFAULT false;
-- Claims of batches that lost a worker; there are hardly any.
CREATE INDEX staged_batch_suspect ON migration.staged_batch (claimed_by)
  WHERE outcomes IS NULL AND lost_workers <> '{}';

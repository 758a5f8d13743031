-- What batches of imports created and changed, so that an import can be taken back. Written in the transaction of the
-- rows; an undo removes what it took back, in the transaction that takes it back.
CREATE TABLE directory.undo_batch (
  job_id           text NOT NULL,
  batch            bigint NOT NULL,
  list             text NOT NULL,
  organization_id  text NOT NULL,
  -- A compressed JSON object, AES-256-GCM under the directory master key: it names users, and the rows before an update
  -- hold hashes and seeds.
  sealed           bytea NOT NULL,
  expires_at       timestamptz NOT NULL,
  -- Users who were deleted until shortly before this time are not in it.
  cleared_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, batch)
);
-- It is compressed before it is sealed.
ALTER TABLE directory.undo_batch ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX undo_batch_expires ON directory.undo_batch (expires_at);
CREATE INDEX undo_batch_cleared ON directory.undo_batch (cleared_at);
-- Users who were deleted lately.
CREATE INDEX tombstone_ended ON directory.tombstone (ended_at);

-- Small batches of one list are applied together, so that many small organizations take little longer than a large one.
-- How much of one call a batch takes up, in thousandths; null: it is applied alone.
ALTER TABLE migration.staged_batch ADD COLUMN call_share smallint;
-- The open batches of a list.
CREATE INDEX staged_batch_open_list ON migration.staged_batch (job_id, stage, list, batch) WHERE outcomes IS NULL;

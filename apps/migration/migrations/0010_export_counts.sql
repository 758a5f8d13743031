-- Of an export: how many records each list of its document has.
ALTER TABLE migration.job ADD COLUMN records jsonb;

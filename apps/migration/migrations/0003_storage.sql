-- Uploads in several steps leave parts behind when their process ends: the next attempt removes them.
ALTER TABLE migration.job ADD COLUMN sealed_upload bytea;

-- contract: the services stop for this upgrade; token of the version before follows directory_read.epoch_change_v1.
-- Personal access tokens end like users, clients and organizations: by a row of the feed that token follows.
DROP VIEW directory_read.epoch_change_v1;
ALTER TABLE directory.epoch_change RENAME TO ending_change;
ALTER TABLE directory.ending_change RENAME COLUMN epoch TO value;
ALTER INDEX directory.epoch_change_xid RENAME TO ending_change_xid;
ALTER TABLE directory.ending_change
  DROP CONSTRAINT epoch_change_kind_check,
  ADD CONSTRAINT ending_change_kind_check CHECK (kind IN ('u', 'c', 'o', 'p'));
-- Repeating the deletion of a personal access token.
CREATE INDEX ending_change_id ON directory.ending_change (kind, id);

-- Argument: a query for kind, id and value over the rows of the statement.
CREATE OR REPLACE FUNCTION directory.record_epochs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.ending_change (kind, id, value) ' || TG_ARGV[0];
  RETURN NULL;
END $$;

-- No id holds a space.
CREATE TRIGGER record_endings AFTER DELETE ON directory.personal_access_token
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''p'', user_id || '' '' || token_id, 1 FROM old_rows');

CREATE VIEW directory_read.ending_change_v1 AS
  SELECT seq, xid, kind, id, value, changed_at FROM directory.ending_change;
GRANT SELECT ON directory_read.ending_change_v1 TO signet_token;

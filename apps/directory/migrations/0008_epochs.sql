-- What ended tokens and sessions, for whoever keeps the revocations. Filled by triggers, so that no writer can forget it.

CREATE TABLE directory.epoch_change (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Read like the change feed: everything at or above the oldest transaction that ran at the last poll.
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- user, client or organization: what the id in a token means
  kind        text NOT NULL CHECK (kind IN ('u', 'c', 'o')),
  id          text NOT NULL,
  -- Everything made under a lower epoch is dead.
  epoch       bigint NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX epoch_change_xid ON directory.epoch_change (xid);

-- The epochs of ids that were given up. What is made anew under such an id begins there, so that nothing that was made
-- for its predecessor comes back to life; sessions and refresh tokens live for up to 400 days.
CREATE TABLE directory.retired_epoch (
  kind             text NOT NULL CHECK (kind IN ('u', 'c', 'o')),
  id               text NOT NULL,
  epoch            bigint NOT NULL,
  -- What had the id, by its own id: a service user has two.
  owner_kind       text NOT NULL CHECK (owner_kind IN ('account', 'application', 'organization')),
  owner_id         text NOT NULL,
  -- Whose administrators may repeat the deletion; null for an application that went with its project.
  organization_id  text,
  retired_at       timestamptz NOT NULL DEFAULT now()
);
-- What the next holder of an id must outlive.
CREATE INDEX retired_epoch_id ON directory.retired_epoch (kind, id);
-- Repeating a deletion.
CREATE INDEX retired_epoch_owner ON directory.retired_epoch (owner_kind, owner_id);

-- Argument: a query for kind, id and epoch over the rows of the statement.
CREATE FUNCTION directory.record_epochs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.epoch_change (kind, id, epoch) ' || TG_ARGV[0];
  RETURN NULL;
END $$;

CREATE TRIGGER record_epochs AFTER UPDATE ON directory.organization
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''o'', n.organization_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (organization_id)
      WHERE n.token_epoch > o.token_epoch');

CREATE TRIGGER record_epochs AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''c'', n.client_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (application_id)
      WHERE n.token_epoch > o.token_epoch');

-- The tokens that a service user gets as a client die with it.
CREATE TRIGGER record_epochs AFTER UPDATE ON directory.account
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'WITH risen AS (SELECT n.user_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (user_id)
                     WHERE n.token_epoch > o.token_epoch)
     SELECT ''u'', user_id, token_epoch FROM risen
      UNION ALL
     SELECT ''c'', s.client_id, r.token_epoch FROM risen r JOIN directory.service_user s USING (user_id)
      WHERE s.client_id IS NOT NULL');

CREATE TRIGGER record_epochs AFTER INSERT ON directory.retired_epoch
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT kind, id, epoch FROM new_rows');

-- Argument: a query for the columns of retired_epoch over the rows of the statement.
CREATE FUNCTION directory.retire_epochs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id) ' || TG_ARGV[0];
  RETURN NULL;
END $$;

CREATE TRIGGER retire_epochs AFTER DELETE ON directory.organization
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''o'', organization_id, token_epoch + 1, ''organization'', organization_id, organization_id FROM old_rows');

CREATE TRIGGER retire_epochs AFTER DELETE ON directory.account
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''u'', user_id, token_epoch + 1, ''account'', user_id, organization_id FROM old_rows');

-- Before the row goes: afterwards the client_id is gone with it.
CREATE FUNCTION directory.retire_service_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id)
    SELECT 'c', s.client_id, OLD.token_epoch + 1, 'account', OLD.user_id, OLD.organization_id
      FROM directory.service_user s WHERE s.user_id = OLD.user_id AND s.client_id IS NOT NULL;
  RETURN OLD;
END $$;
CREATE TRIGGER retire_service_user BEFORE DELETE ON directory.account
  FOR EACH ROW WHEN (OLD.kind = 'service_user') EXECUTE FUNCTION directory.retire_service_user();

-- Finds no account when it is the account that was deleted.
CREATE TRIGGER retire_epochs_delete AFTER DELETE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, a.token_epoch + 1, ''account'', a.user_id, a.organization_id
       FROM old_rows o JOIN directory.account a USING (user_id) WHERE o.client_id IS NOT NULL');

CREATE TRIGGER retire_epochs_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, a.token_epoch + 1, ''account'', a.user_id, a.organization_id
       FROM old_rows o JOIN new_rows n USING (user_id) JOIN directory.account a USING (user_id)
      WHERE o.client_id IS NOT NULL AND o.client_id IS DISTINCT FROM n.client_id');

CREATE TRIGGER retire_epochs_delete AFTER DELETE ON directory.application
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id
       FROM old_rows o LEFT JOIN directory.project p USING (project_id)');

CREATE TRIGGER retire_epochs_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id
       FROM old_rows o JOIN new_rows n USING (application_id) LEFT JOIN directory.project p ON p.project_id = o.project_id
      WHERE o.client_id <> n.client_id');

-- Raises new holders of an id above what was retired under it. After the insert and not before it: only then has an
-- insert waited for the transaction that deletes the predecessor. Arguments: the table with the epoch, its key, and
-- the kind and the column of the id.
CREATE FUNCTION directory.outlive_retired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  late record;
BEGIN
  FOR late IN EXECUTE format(
    'SELECT t.%2$I AS key, max(e.epoch) AS epoch
       FROM new_rows n JOIN directory.retired_epoch e ON e.kind = %3$L AND e.id = n.%4$I
       JOIN directory.%1$I t ON t.%2$I = n.%2$I
      WHERE t.token_epoch < e.epoch GROUP BY t.%2$I', TG_ARGV[0], TG_ARGV[1], TG_ARGV[2], TG_ARGV[3])
  LOOP
    EXECUTE format('UPDATE directory.%I SET token_epoch = $2 WHERE %I = $1', TG_ARGV[0], TG_ARGV[1])
      USING late.key, late.epoch;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER outlive_retired AFTER INSERT ON directory.organization REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('organization', 'organization_id', 'o', 'organization_id');
CREATE TRIGGER outlive_retired AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'u', 'user_id');
CREATE TRIGGER outlive_retired_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_update AFTER UPDATE ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('application', 'application_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_update AFTER UPDATE ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('application', 'application_id', 'c', 'client_id');

CREATE VIEW directory_read.epoch_change_v1 AS
  SELECT seq, xid, kind, id, epoch, changed_at FROM directory.epoch_change;

-- The hash is what a token is looked up by, and proves nothing: it stands for 256 random bits.
CREATE VIEW directory_read.personal_access_token_v1 AS
  SELECT t.token_hash,
         t.token_id,
         t.user_id,
         a.kind,
         a.organization_id,
         t.expires_at,
         a.state = 'active' AND o.state = 'active' AS active
    FROM directory.personal_access_token t
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id);

-- What administrators may do, and where: null stands for the whole instance.
CREATE VIEW directory_read.member_v1 AS
  SELECT user_id, role, coalesce(organization_id, project_id) AS object_id FROM directory.member;

-- Only token ends tokens and tells who is calling.
GRANT SELECT ON directory_read.epoch_change_v1, directory_read.personal_access_token_v1, directory_read.member_v1
  TO signet_token;

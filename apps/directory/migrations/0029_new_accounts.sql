-- What a user who is new costs, once more; the rules are the same. An import writes hundreds of thousands of them.

-- Where every id was free nobody has to look whose they are.
CREATE OR REPLACE FUNCTION directory.account_claim() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  claimed bigint;
  taken text;
BEGIN
  INSERT INTO directory.principal (principal_id, owner_kind, owner_id)
    SELECT user_id, 'account', user_id FROM new_rows ON CONFLICT (principal_id) DO NOTHING;
  GET DIAGNOSTICS claimed = ROW_COUNT;
  IF claimed = (SELECT count(*) FROM new_rows) THEN
    RETURN NULL;
  END IF;
  SELECT p.principal_id INTO taken
    FROM new_rows n CROSS JOIN LATERAL (SELECT * FROM directory.principal WHERE principal_id = n.user_id) p
   WHERE p.owner_kind <> 'account' OR p.owner_id <> n.user_id LIMIT 1;
  IF FOUND THEN
    RAISE unique_violation USING CONSTRAINT = 'principal_pkey', TABLE = 'principal',
      MESSAGE = format('the id %s belongs to another user, service user or application', taken);
  END IF;
  RETURN NULL;
END $$;

-- Nobody has a row of an account in a cache that is only now there; they may remember that it is missing, and any change
-- of an account makes them look again. So one of them tells of all: readers that are told of thousands drop everything.
CREATE FUNCTION directory.record_new_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.change (kind, id) SELECT 'account', user_id FROM new_rows LIMIT 1;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER record_insert AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_new_accounts();

-- Most owners have one id, their own, which the primary key finds.
CREATE INDEX principal_other_id ON directory.principal (owner_kind, owner_id) WHERE principal_id <> owner_id;
CREATE FUNCTION directory.release_principals(kind text, owner text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.principal WHERE principal_id = owner AND owner_kind = kind AND owner_id = owner;
  DELETE FROM directory.principal WHERE owner_kind = kind AND owner_id = owner AND principal_id <> owner_id;
END $$;
CREATE OR REPLACE FUNCTION directory.account_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM directory.release_principals('account', OLD.user_id);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION directory.application_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM directory.release_principals('application', OLD.application_id);
  RETURN NULL;
END $$;
DROP INDEX directory.principal_owner;

-- With the name first one index serves sign-in by the user name alone too; account_organization finds all of an organization.
CREATE UNIQUE INDEX account_user_name_organization ON directory.account (user_name_key, organization_id);
ALTER TABLE directory.account DROP CONSTRAINT account_user_name;
ALTER TABLE directory.account ADD CONSTRAINT account_user_name UNIQUE USING INDEX account_user_name_organization;
DROP INDEX directory.account_user_name_key;

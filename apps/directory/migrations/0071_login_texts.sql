-- The texts of the sign-in pages that organizations replace.

-- The texts of one language that act, by the names of docs/spec 6.2: {"loginText.title": "…"}. The record of the export
-- format, with all texts, is in directory.carried_record, sealed; both are written in one transaction.
CREATE TABLE directory.login_text (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  language         text NOT NULL,
  texts            jsonb NOT NULL CHECK (jsonb_typeof(texts) = 'object'),
  PRIMARY KEY (organization_id, language)
);

CREATE TRIGGER record_insert AFTER INSERT ON directory.login_text REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('login_text', 'organization_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.login_text
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('login_text', 'organization_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.login_text REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('login_text', 'organization_id');

-- As they are stored: the reader leaves out those that the present rules refuse.
CREATE VIEW directory_read.login_text_v1 AS
  SELECT organization_id, language, texts FROM directory.login_text;
GRANT SELECT ON directory_read.login_text_v1 TO signet_login;

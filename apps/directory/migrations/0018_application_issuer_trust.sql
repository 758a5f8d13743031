-- The issuers whose assertions an application authenticates with in place of its own (RFC 7523 section 2.2).
CREATE TABLE directory.application_issuer_trust (
  application_id directory.object_id NOT NULL REFERENCES directory.application ON DELETE CASCADE,
  trust_id       directory.object_id NOT NULL,
  issuer         text NOT NULL,
  subject        text NOT NULL,
  claims         jsonb NOT NULL,
  key_set        jsonb,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (application_id, trust_id)
);

CREATE TRIGGER record_insert AFTER INSERT ON directory.application_issuer_trust REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('application', 'application_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.application_issuer_trust
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('application', 'application_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.application_issuer_trust REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('application', 'application_id');

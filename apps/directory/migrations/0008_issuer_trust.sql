-- The issuers whose assertions a service user presents in place of its own (RFC 7523 section 3). A key set is uploaded for an
-- issuer that publishes none, such as a cluster inside a network.
CREATE TABLE directory.issuer_trust (
  user_id     directory.object_id NOT NULL REFERENCES directory.service_user ON DELETE CASCADE,
  trust_id    directory.object_id NOT NULL,
  issuer      text NOT NULL,
  subject     text NOT NULL,
  claims      jsonb NOT NULL,
  key_set     jsonb,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, trust_id)
);

CREATE TRIGGER record_insert AFTER INSERT ON directory.issuer_trust REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('account', 'user_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.issuer_trust REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('account', 'user_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.issuer_trust REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('account', 'user_id');

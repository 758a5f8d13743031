-- When the features and the security policy of the instance changed last, and how often; kept by triggers, so that a
-- change is counted whoever makes it.
CREATE TABLE directory.instance_revision (
  kind        text PRIMARY KEY CHECK (kind IN ('features', 'security_policy')),
  sequence    bigint NOT NULL DEFAULT 0,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO directory.instance_revision (kind) VALUES ('features'), ('security_policy');

CREATE FUNCTION directory.count_instance_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.instance_revision SET sequence = sequence + 1, changed_at = now() WHERE kind = TG_ARGV[0];
  RETURN NULL;
END $$;

CREATE TRIGGER count_revision AFTER INSERT OR UPDATE OR DELETE ON directory.feature
  FOR EACH ROW EXECUTE FUNCTION directory.count_instance_revision('features');
CREATE TRIGGER count_revision AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation <> NEW.enable_impersonation)
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');

-- A domain that an organization loses is no longer trusted: its identity providers verify no addresses of the next owner.
CREATE FUNCTION directory.distrust_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.identity_provider SET trusted_email_domains = array_remove(trusted_email_domains, OLD.domain)
   WHERE organization_id = OLD.organization_id AND OLD.domain = ANY (trusted_email_domains);
  RETURN NULL;
END $$;
CREATE TRIGGER distrust_deleted_domain AFTER DELETE ON directory.organization_domain
  FOR EACH ROW WHEN (OLD.is_verified) EXECUTE FUNCTION directory.distrust_domain();
CREATE TRIGGER distrust_unverified_domain AFTER UPDATE OF is_verified ON directory.organization_domain
  FOR EACH ROW WHEN (OLD.is_verified AND NOT NEW.is_verified) EXECUTE FUNCTION directory.distrust_domain();

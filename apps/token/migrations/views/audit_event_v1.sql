-- The directory answers the audit trail of everybody.
CREATE OR REPLACE VIEW grants_read.audit_event_v1 AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM grants_audit.audit_event;

GRANT SELECT ON grants_read.audit_event_v1 TO signet_directory;
